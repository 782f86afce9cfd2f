public import ArticleAPI

/// Users' decisions about writes that cannot go on without them.
extension OutboxQueue {
    /// The resolution of a conflict.
    public enum Decision: Sendable, Hashable {
        /// The write is carried out: where both sides have changed the same, mine holds, and
        /// elsewhere both. If they have deleted the article, it is created again with another id.
        case keepMine
        /// The write is dropped.
        case keepTheirs
        /// The article becomes this one.
        case merged(Article)
    }

    /// Resolves a conflict; `nil` if the entry is not in conflict.
    ///
    /// - Parameters:
    ///   - number: the number of the entry.
    ///   - decision: the resolution.
    ///   - newKey: a new key, which was never used.
    ///   - newID: the id of an article that has to be created again.
    ///   - time: the current time.
    public mutating func resolve(
        _ number: Int, _ decision: Decision, newKey: String, newID: Article.ID, at time: Timestamp
    ) -> Edit? {
        guard let index = index(of: number),
            case .conflict(let theirs) = entries[index].status
        else { return nil }
        return edit { queue in
            let entry = queue.entries[index]
            switch decision {
            case .keepTheirs: queue.giveUp(index, for: theirs)
            case .keepMine:
                guard let theirs else {
                    return queue.createAgain(index, entry.mine, newKey, newID, at: time)
                }
                queue.rewrite(index, entry.write(onto: theirs), on: theirs, newKey)
            case .merged(let article):
                guard let theirs else {
                    return queue.createAgain(index, article.draft, newKey, newID, at: time)
                }
                let changes = Article.Changes(from: theirs, to: article)
                queue.rewrite(index, .update(changes), on: theirs, newKey)
            }
        }
    }

    /// Sends a write again whose key was forgotten or that was rejected; `nil` for any other.
    ///
    /// - Parameters:
    ///   - number: the number of the entry.
    ///   - newKey: a new key, which was never used.
    public mutating func sendAgain(_ number: Int, newKey: String) -> Edit? {
        guard let index = index(of: number) else { return nil }
        switch entries[index].status {
        case .needsConfirmation, .rejected: break
        case .waiting, .sending, .conflict: return nil
        }
        return edit { queue in
            // The write may have been carried out, so that no later one becomes part of it.
            queue.entries[index].key = newKey
            queue.entries[index].firstSentAt = nil
            queue.entries[index].attempts = 0
            queue.entries[index].status = .waiting(until: nil)
        }
    }

    /// Drops a write, and with a creation also the later writes to the article. `nil` if there is
    /// none of this number, or if it is being sent.
    ///
    /// - Parameter number: the number of the entry.
    public mutating func discard(_ number: Int) -> Edit? {
        guard let index = index(of: number), entries[index].status != .sending else { return nil }
        return edit { queue in
            let entry = queue.entries[index]
            if case .conflict(let theirs) = entry.status {
                return queue.giveUp(index, for: theirs)
            }
            queue.entries.remove(at: index)
            guard let next = queue.successor(of: entry) else { return }
            if entry.isCreation {
                queue.entries.removeAll {
                    $0.isEdit && $0.article == entry.article && $0.number > entry.number
                }
            } else if entry.isUnseen {
                queue.takeBack(entry, before: next)
            } else {
                // If it was carried out or not, no one else has changed anything since this
                // version: with any other one, both sides are merged.
                queue.entries[next].base?.version = entry.base?.version
            }
        }
    }

    /// Drops a write that is in conflict with theirs.
    private mutating func giveUp(_ index: Int, for theirs: Article?) {
        let entry = entries.remove(at: index)
        guard let next = successor(of: entry) else { return }
        guard let theirs else {
            if case .delete = entries[next].write {
                entries.remove(at: next)
            } else {
                entries[next].status = .conflict(theirs: nil)
            }
            return
        }
        rebase(next, onto: theirs)
    }

    private mutating func rewrite(
        _ index: Int, _ write: PendingWrite, on theirs: Article, _ key: String
    ) {
        if case .update(let changes) = write, changes.isEmpty { return giveUp(index, for: theirs) }
        entries[index].restart(with: write, on: theirs, key: key, isRebased: true)
    }

    /// Creates the deleted article again with another id, followed by its later writes.
    private mutating func createAgain(
        _ index: Int, _ draft: Article.Draft, _ key: String, _ id: Article.ID, at time: Timestamp
    ) {
        let former = entries.remove(at: index)
        var draft = draft
        draft.id = id
        // The former slug stays reserved for the former article.
        if draft.slug == former.base?.slug { draft.slug = nil }
        append(.create(draft), to: id, base: nil, account: former.account, key: key, at: time)
        while let next = successor(of: former), let new = entries.indices.last,
            let folded = entries[new].write.followed(by: entries[next].write, on: nil)
        {
            replace(at: new, by: folded, key: key)
            entries.remove(at: next)
            if folded == .nothing { return }
        }
    }
}

extension OutboxEntry {
    /// The article with the write as a new one.
    fileprivate var mine: Article.Draft {
        switch write {
        case .create(let draft): draft
        case .update(let changes): base?.applying(changes).draft ?? Article.Draft(title: "")
        case .delete, .request: base?.draft ?? Article.Draft(title: "")
        }
    }

    /// The write with all that it changes, for an article that someone else has changed.
    fileprivate func write(onto theirs: Article) -> PendingWrite {
        switch (write, base) {
        case (.update(let changes), let base?):
            .update(
                Article.Merge(base: base, mine: changes, theirs: theirs)
                    .changes(otherwise: .mine))
        case (.create(let draft), _): .update(Article.Changes(from: theirs.draft, to: draft))
        case (.update, nil), (.delete, _), (.request, _): write
        }
    }
}
