public import ArticleAPI

/// The effect of responses on the writes.
extension OutboxQueue {
    /// The outcome of an attempt.
    public enum Outcome: Sendable, Hashable {
        /// The write was carried out; the article as in the response, `nil` if it was deleted.
        case applied(Article?)
        /// Nothing reached the backend.
        case notSent
        /// The write may have been carried out.
        case noResponse
        /// The backend has another version than the write expects, or already has an article of the
        /// id that the write creates; `nil` if the article is gone.
        case changed(theirs: Article?)
        /// The backend has not carried out the write, and will not do so if it is repeated.
        case rejected(Problem)
    }

    /// Ends an attempt that `begin` began; `nil` if the write is not being sent.
    ///
    /// - Parameters:
    ///   - number: the number of the entry.
    ///   - outcome: the outcome of the attempt.
    ///   - newKey: a new key, which was never used.
    ///   - retryTime: the time at which to send the write again, if it has to be; `nil` for at
    ///     once.
    public mutating func finish(
        _ number: Int, _ outcome: Outcome, newKey: String, retryAt retryTime: Timestamp?
    ) -> Edit? {
        guard let index = index(of: number), entries[index].status == .sending else { return nil }
        return edit { queue in
            if queue.isReplaced(index) {
                queue.entries.remove(at: index)
                return
            }
            switch outcome {
            case .applied(let response): queue.complete(index, with: response)
            case .notSent:
                queue.entries[index].openAttempts -= 1
                if queue.entries[index].openAttempts == 0 { queue.entries[index].firstSentAt = nil }
                queue.entries[index].status = .waiting(until: retryTime)
            case .noResponse: queue.entries[index].status = .waiting(until: retryTime)
            case .changed(let theirs):
                queue.meet(theirs, index, newKey: newKey, retryAt: retryTime)
            case .rejected(let problem): queue.reject(index, because: problem)
            }
        }
    }

    /// Removes a write that was carried out; the article's next one continues from the response.
    private mutating func complete(_ index: Int, with response: Article?) {
        let entry = entries.remove(at: index)
        guard let response, let next = successor(of: entry) else { return }
        // If no one else has changed it, the response is the article that the user saw when making
        // the next write, apart from additions of the backend.
        let isExpected = !entry.isRebased && (entry.isCreation || entry.base?.version != nil)
        guard isExpected else { return rebase(next, onto: response) }
        var base = response
        base.body = response.body ?? entries[next].base?.body
        entries[next].base = base
    }

    /// Decides about a write whose article has another version than it expects.
    private mutating func meet(
        _ theirs: Article?, _ index: Int, newKey: String, retryAt retryTime: Timestamp?
    ) {
        let entry = entries[index]
        if let version = theirs?.version, version == entry.base?.version {
            // The backend contradicts itself, so it is not asked again at once.
            entries[index].status = .waiting(until: retryTime)
            return
        }
        guard let theirs else {
            guard case .delete = entry.write else {
                entries[index].status = .conflict(theirs: nil)
                return
            }
            return complete(index, with: nil)
        }
        entries[index].restart(
            with: entry.write, on: entry.base, key: newKey, isRebased: true)
        rebase(index, onto: theirs)
    }

    /// Applies a write that the backend has not seen to another version than the user saw: removes
    /// it if nothing is left to change, and asks if both sides have changed the same.
    mutating func rebase(_ index: Int, onto theirs: Article) {
        let entry = entries[index]
        let left: Article.Changes
        switch (entry.write, entry.base) {
        case (.update(let changes), let base?):
            let merge = Article.Merge(base: base, mine: changes, theirs: theirs)
            guard merge.conflicts.isEmpty else { return ask(index, theirs) }
            left = merge.changes()
        case (.delete, let base?):
            guard Article.Changes(from: base, to: theirs).isEmpty else { return ask(index, theirs) }
            entries[index].base = theirs
            entries[index].isRebased = true
            return
        case (.create(let draft), _):
            guard Article.Changes(from: theirs.draft, to: draft).isEmpty else {
                return ask(index, theirs)
            }
            left = Article.Changes()
        case (.update, nil), (.delete, nil), (.request, _): return ask(index, theirs)
        }
        entries[index].isRebased = true
        guard !left.isEmpty else { return complete(index, with: theirs) }
        entries[index].base = theirs
        entries[index].write = .update(left)
    }

    private mutating func ask(_ index: Int, _ theirs: Article) {
        entries[index].status = .conflict(theirs: theirs)
    }

    /// Takes back a write, unless a later one could correct it: then both are tried as one.
    private mutating func reject(_ index: Int, because problem: Problem) {
        let entry = entries[index]
        entries[index].openAttempts = 0
        entries[index].status = .rejected(problem)
        guard let next = successor(of: entry) else { return }
        let (write, base) = (entries[next].write, entries[next].base)
        guard let folded = entry.folded(with: write, seeing: base) else {
            return takeBack(entry, before: next)
        }
        // The key of the later one was never used.
        let key = entries.remove(at: next).key
        replace(at: index, by: folded, key: key)
    }

    /// Continues a write from the article that an earlier one, which is not carried out, would have
    /// changed.
    mutating func takeBack(_ entry: OutboxEntry, before next: Int) {
        if entry.isRebased, let base = entry.base {
            rebase(next, onto: base)
        } else {
            entries[next].base = entry.base
        }
    }
}
