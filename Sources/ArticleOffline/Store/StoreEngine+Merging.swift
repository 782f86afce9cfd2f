import ArticleAPI
import BroadsheetSQLite

/// The merging of updates from responses.
extension StoreEngine {
    /// Stores all of it, or nothing. Known facts cost no transaction.
    func commit(
        _ changes: StoreChanges, at time: Timestamp
    ) throws(ModelStoreError) {
        if !changes.concernsOutbox {
            let hasUpdates = try read { () throws(ModelStoreError) -> Bool in
                try self.hasUpdates(changes.updates)
            }
            guard hasUpdates || hasTooManyDeferred else { return }
        }
        try write(isFlushed: changes.concernsOutbox) { () throws(ModelStoreError) in
            for updates in changes.updates {
                try merge(updates, at: time, isOwn: changes.concernsOutbox)
                if changes.concernsOutbox, let id = updates.articleID {
                    try awaitConfirmation(of: id)
                }
            }
            for write in changes.writes {
                try OutboxTable.store(write, in: connection)
                noteWrites(of: write.article)
            }
            for number in changes.finishedWrites {
                guard let id = try OutboxTable.remove(number, from: connection) else { continue }
                noteWrites(of: id)
            }
        }
    }

    private func noteWrites(of id: Article.ID) {
        note(.article(id))
        note(.articles)
        note(.outbox)
    }

    /// Returns true if any of it changes something. Of facts that change nothing, newer times are
    /// kept.
    private func hasUpdates(_ updates: [ModelUpdate]) throws(ModelStoreError) -> Bool {
        for updates in updates {
            switch updates {
            case .article(let facts):
                if try isUpdate(facts, to: articles) { return true }
                if try hasNewNames(facts) { return true }
            case .author(let facts):
                if try isUpdate(facts, to: authors) { return true }
            case .comment(let facts):
                if try isUpdate(facts, to: comments) { return true }
            case .articleRemoved, .authorRemoved, .commentRemoved: return true
            }
        }
        return false
    }

    private func isUpdate<Model: MergeableModel>(
        _ facts: ModelFacts<Model>, to table: ModelTable<Model>
    ) throws(ModelStoreError) -> Bool where Model.ID == Identifier<Model> {
        switch try table.outcome(of: facts, in: connection) {
        case .nothing: return false
        case .times(let facts):
            table.postpone(facts)
            return false
        case .values: return true
        }
    }

    // MARK: In a transaction

    /// - Parameters:
    ///   - news: the update from a response.
    ///   - time: the present time.
    ///   - isAnew: true if the backend has begun another history, of which the response is.
    ///   - isOwn: true if it is the response to a write of the outbox.
    func merge(
        _ updates: ModelUpdate, at time: Timestamp, isRestart: Bool = false, isOwn: Bool = false
    ) throws(ModelStoreError) {
        switch updates {
        case .article(let facts): try merge(facts, isRestart, isOwn)
        case .author(let facts): try merge(facts, isRestart)
        case .comment(let facts): try merge(facts, isRestart)
        case .articleRemoved(let id, let ending):
            try end(id, ending, in: articles, at: time)
            noteArticle(id)
        case .authorRemoved(let id, let ending):
            try end(id, ending, in: authors, at: time)
            if try names.forget(id, in: connection) { noteRename(of: id) }
            note(.author(id))
        case .commentRemoved(let id, let ending):
            if let article = try comments.facts(id, in: connection)?.model()?.articleID {
                note(.comments(article))
            }
            try end(id, ending, in: comments, at: time)
        }
    }

    private func noteArticle(_ id: Article.ID) {
        note(.article(id))
        note(.articles)
    }

    private func merge(
        _ facts: ModelFacts<Article>, _ isRestart: Bool, _ isOwn: Bool
    ) throws(ModelStoreError) {
        // Also those of a late response: they are newer or older for themselves.
        for author in try newByline(facts) {
            // A mirror confirms the outbox's response for the article, but not for its authors.
            if isOwn, try isMirrored(author.id) { continue }
            if try names.note(author, in: connection) { noteRename(of: author.id) }
        }
        switch try articles.outcome(of: facts, isRestart: isRestart, in: connection) {
        case .nothing: break
        case .times(let merged): _ = try articles.store(merged, in: connection)
        case .values(let merged, let changed):
            let number = try articles.store(merged, in: connection)
            let isListed = changed.intersects(ArticleIndex.attributes)
            if isListed { try list(merged, number) }
            noteArticle(facts.id)
        }
    }

    private func isMirrored(_ id: Author.ID) throws(ModelStoreError) -> Bool {
        let row = try connection.statement(
            "SELECT 1 FROM members WHERE kind = ?1 AND id = ?2 LIMIT 1")
        try row.bind(1, authors.kind)
        try row.bind(2, id)
        return try row.step()
    }

    /// Puts an article into lists, if enough of it is known, and takes it out otherwise.
    private func list(
        _ facts: ModelFacts<Article>, _ number: Int64
    ) throws(ModelStoreError) {
        let ending = try Tombstone.load(articles.kind, facts.id, from: connection)
        let isCurrent = ending?.unmatched.map { facts.revision >= $0 } ?? true
        guard isCurrent, facts.attributes.isSuperset(of: ArticleIndex.attributes),
            let article = facts.model()
        else { return try ArticleIndex.remove(number, from: connection) }
        try ArticleIndex.store(article, number, in: connection)
    }

    /// The by-line, if it is not the one that is known.
    private func newByline(
        _ facts: ModelFacts<Article>
    ) throws(ModelStoreError) -> [Author.Reference] {
        let byline = facts.value(of: "authors")
        let known = try articles.facts(facts.id, in: connection)?.value(of: "authors")
        guard byline != known, !byline.isEmpty else { return [] }
        let authors = (try? PartialArticle(mapping: facts.json))?.authors ?? []
        return authors.compactMap { author in
            guard let id = author.id, let name = author.name else { return nil }
            return Author.Reference(id: id, name: name, revision: author.revision)
        }
    }

    private func hasNewNames(_ facts: ModelFacts<Article>) throws(ModelStoreError) -> Bool {
        for author in try newByline(facts) {
            if try names.isUpdate(author, in: connection) { return true }
        }
        return false
    }

    private func merge(
        _ facts: ModelFacts<Author>, _ isRestart: Bool
    ) throws(ModelStoreError) {
        switch try authors.outcome(of: facts, isRestart: isRestart, in: connection) {
        case .nothing: break
        case .times(let merged): _ = try authors.store(merged, in: connection)
        case .values(let merged, _):
            _ = try authors.store(merged, in: connection)
            if let author = merged.model(), try names.note(author, in: connection) {
                noteRename(of: author.id)
            }
            note(.author(facts.id))
        }
    }

    private func merge(
        _ facts: ModelFacts<ArticleComment>, _ isRestart: Bool
    ) throws(ModelStoreError) {
        switch try comments.outcome(of: facts, isRestart: isRestart, in: connection) {
        case .nothing: break
        case .times(let merged): _ = try comments.store(merged, in: connection)
        case .values(let merged, _):
            let number = try comments.store(merged, in: connection)
            guard let comment = merged.model() else { return }
            let row = try connection.statement(
                "INSERT OR REPLACE INTO comments VALUES (?1, ?2, ?3, ?4)")
            try row.bind(1, number)
            try row.bind(2, comment.id)
            try row.bind(3, comment.articleID)
            try row.bind(4, comment.createdAt)
            try row.run()
            note(.comments(comment.articleID))
        }
    }

    // MARK: Endings

    /// Records the removal, and removes earlier facts.
    private func end<Model: MergeableModel>(
        _ id: Model.ID, _ ending: ModelUpdate.RemovalReason, in table: ModelTable<Model>,
        at time: Timestamp
    ) throws(ModelStoreError) where Model.ID == Identifier<Model> {
        let known = try table.facts(id, in: connection)
        var row = try Tombstone.load(table.kind, id, from: connection) ?? Tombstone(at: time)
        row.add(ending, known: known?.revision ?? 0, at: time)
        try row.store(table.kind, id, limit: limits.deletions, in: connection)
        guard let known else { return }
        if case .unmatched(let revision) = ending, try isHeld(id, in: table) {
            // It may still exist, so it is kept; but it is no longer listed.
            if known.revision < revision { try unlist(id, of: table.kind) }
            return
        }
        let rest = known.without { row.follows(revision: $0.revision, seenAt: $0.seenAt) }
        guard rest != known else { return }
        guard let rest else { return try table.remove(id, in: connection) }
        let number = try table.store(rest, in: connection)
        if let article = rest as? ModelFacts<Article> { try list(article, number) }
    }

    private func unlist<Subject>(
        _ id: Identifier<Subject>, of kind: Int
    ) throws(ModelStoreError) {
        guard kind == articles.kind else { return }
        let row = try connection.statement(
            """
            DELETE FROM articles
            WHERE number = (SELECT number FROM models WHERE kind = ?1 AND id = ?2)
            """)
        try row.bind(1, kind)
        try row.bind(2, id)
        try row.run()
    }

    /// Returns true if it stays whatever else is stored.
    private func isHeld<Model: MergeableModel>(
        _ id: Model.ID, in table: ModelTable<Model>
    ) throws(ModelStoreError) -> Bool where Model.ID == Identifier<Model> {
        let row = try connection.statement(
            """
            SELECT 1 FROM pins WHERE ?1 = 1 AND article = ?2
            UNION ALL SELECT 1 FROM outbox WHERE ?1 = 1 AND article = ?2
            """)
        try row.bind(1, table.kind)
        try row.bind(2, id)
        return try row.step()
    }
}

extension ModelUpdate {
    /// The article that it is about; `nil` if it is about something else.
    fileprivate var articleID: Article.ID? {
        switch self {
        case .article(let facts): facts.id
        case .articleRemoved(let id, _): id
        case .author, .authorRemoved, .comment, .commentRemoved: nil
        }
    }
}
