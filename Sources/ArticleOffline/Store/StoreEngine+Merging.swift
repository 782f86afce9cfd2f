import ArticleAPI
import BroadsheetSQLite

/// The merging of updates from responses.
extension StoreEngine {
    /// Stores all of it, or nothing. Known facts cost no transaction.
    func commit(
        _ changes: StoreChanges, at time: Timestamp
    ) throws(OfflineError) {
        if !changes.concernsOutbox {
            let hasUpdates = try read { () throws(OfflineError) -> Bool in
                try self.hasUpdates(changes.updates)
            }
            guard hasUpdates || hasTooManyDeferred else { return }
        }
        try write(isFlushed: changes.concernsOutbox) { () throws(OfflineError) in
            let context = MergeContext(time: time, isOwn: changes.concernsOutbox)
            for update in changes.updates {
                try update.content.merge(into: self, context)
                guard changes.concernsOutbox, let key = update.content.key, key.isArticle else {
                    continue
                }
                try awaitConfirmation(of: key)
            }
            for write in changes.writes {
                try OutboxTable.store(write, in: connection)
                note(write)
            }
            for number in changes.finishedWrites {
                if let write = try OutboxTable.remove(number, from: connection) { note(write) }
            }
        }
    }

    private func note(_ write: StoredWrite) {
        note(.outbox)
        guard let id = write.article else { return }
        if write.isEdit { note(ModelKey(Article.self, id)) } else { note(.comments(id)) }
    }

    private func hasUpdates(_ updates: [ModelUpdate]) throws(OfflineError) -> Bool {
        for update in updates {
            if try update.content.isUpdate(of: self) { return true }
        }
        return false
    }

    /// Returns true if the facts change something. Of those that change nothing, newer times are
    /// kept.
    @_specialize(where Model == Article)
    func isUpdate<Model>(_ facts: ModelFacts<Model>) throws(OfflineError) -> Bool {
        let table = table(Model.self)
        let known = try table.facts(facts.id, in: connection)
        switch try table.outcome(of: facts, known, resetAt, in: connection) {
        case .nothing: break
        case .times(let newer): table.postpone(newer)
        case .values: return true
        }
        guard let article = facts as? ModelFacts<Article> else { return false }
        return try hasNewNames(article, known as? ModelFacts<Article>)
    }

    // MARK: In a transaction

    @_specialize(where Model == Article)
    func merge<Model>(
        _ facts: ModelFacts<Model>, _ context: MergeContext
    ) throws(OfflineError) {
        let table = table(Model.self)
        let known = try table.facts(facts.id, in: connection)
        if let article = facts as? ModelFacts<Article> {
            try noteByline(article, known as? ModelFacts<Article>, context)
        }
        let outcome = try table.outcome(
            of: facts, known, isRestart: context.isRestart, resetAt, in: connection)
        switch outcome {
        case .nothing: break
        case .times(let newer): try table.storeTimes(of: newer, in: connection)
        case .values(let merged, let changed, let ending):
            let row = try table.store(merged, isKnown: known != nil, in: connection)
            try storeColumns(of: merged, changed, row, ending)
            note(ModelKey(Model.self, facts.id))
        }
    }

    /// Notes the names in a by-line, also in that of a late response: they are newer or older for
    /// themselves.
    private func noteByline(
        _ facts: ModelFacts<Article>, _ known: ModelFacts<Article>?, _ context: MergeContext
    ) throws(OfflineError) {
        for author in newByline(facts, known) {
            // A mirror confirms the outbox's response for the article, but not for its authors.
            if context.isOwn, try isMirrored(author.id) { continue }
            if try names.note(author, in: connection) { noteRename(of: author.id) }
        }
    }

    /// Stores what the tables of the contract's models have of the facts.
    ///
    /// - Parameters:
    ///   - facts: all known facts of a model.
    ///   - changed: the attributes that have changed.
    ///   - row: the model's row.
    ///   - ending: the removals of the model.
    private func storeColumns<Model>(
        of facts: ModelFacts<Model>, _ changed: AttributeSet<Model>, _ row: ModelTable<Model>.Row,
        _ ending: Tombstone?
    ) throws(OfflineError) {
        if let article = facts as? ModelFacts<Article> {
            guard changed.bits & ArticleIndex.attributes.bits != 0 else { return }
            try list(article, row.number, isNew: row.isNew, ending)
        } else if let author = facts as? ModelFacts<Author> {
            guard let author = author.model() else { return }
            if try names.note(author, in: connection) { noteRename(of: author.id) }
        } else if let comment = facts as? ModelFacts<ArticleComment> {
            guard let comment = comment.model() else { return }
            try list(comment, row.number)
        }
    }

    private func list(_ comment: ArticleComment, _ number: Int64) throws(OfflineError) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO comments VALUES (?1, ?2, ?3, ?4)")
        try row.bind(1, number)
        try row.bind(2, comment.id)
        try row.bind(3, comment.articleID)
        try row.bind(4, comment.createdAt)
        try row.run()
        note(.comments(comment.articleID))
    }

    private func isMirrored(_ id: Author.ID) throws(OfflineError) -> Bool {
        let row = try connection.statement(
            "SELECT 1 FROM members WHERE kind = ?1 AND id = ?2 LIMIT 1")
        try row.bind(1, StoreSchema.authorKind)
        try row.bind(2, id)
        return try row.step()
    }

    /// Puts an article into lists, if enough of it is known, and takes it out otherwise.
    private func list(
        _ facts: ModelFacts<Article>, _ number: Int64, isNew: Bool, _ ending: Tombstone?
    ) throws(OfflineError) {
        if !isNew { try ArticleIndex.remove(number, from: connection) }
        let isCurrent = ending?.unmatched.map { facts.revision >= $0 } ?? true
        guard isCurrent, facts.attributes.isSuperset(of: ArticleIndex.attributes),
            let article = facts.model()
        else { return }
        try ArticleIndex.store(article, number, in: connection)
    }

    /// The by-line, if it is not the one that is known.
    private func newByline(
        _ facts: ModelFacts<Article>, _ known: ModelFacts<Article>?
    ) -> [Author.Reference] {
        if let known, Self.haveSameByline(facts, known) { return [] }
        if let article = facts.decoded { return article.authors }
        let byline = facts.value(of: "authors")
        guard !byline.isEmpty else { return [] }
        let authors = (try? Self.authors.map(Array(byline))) ?? []
        return authors.compactMap { author in
            guard let id = author.id, let name = author.name else { return nil }
            return Author.Reference(id: id, name: name, revision: author.revision)
        }
    }

    private static func haveSameByline(
        _ one: ModelFacts<Article>, _ other: ModelFacts<Article>
    ) -> Bool {
        if let first = one.decoded, let second = other.decoded {
            return first.authors == second.authors
        }
        return one.value(of: "authors") == other.value(of: "authors")
    }

    private static let authors = JSONCodec<[PartialArticle.PartialAuthor]>.array(
        of: PartialArticle.PartialAuthor.format, limit: ArticleLimits.authors)

    private func hasNewNames(
        _ facts: ModelFacts<Article>, _ known: ModelFacts<Article>?
    ) throws(OfflineError) -> Bool {
        for author in newByline(facts, known) {
            if try names.isUpdate(author, in: connection) { return true }
        }
        return false
    }

    // MARK: Removals

    /// Records the removal, and removes earlier facts.
    func remove<Model: StorableModel>(
        _ type: Model.Type, _ id: Model.ID, _ reason: ModelUpdate.RemovalReason,
        _ context: MergeContext
    ) throws(OfflineError) {
        let table = table(type)
        if let id = id as? ArticleComment.ID, Model.self == ArticleComment.self {
            try noteDiscussion(of: id)
        }
        try end(id, reason, in: table, at: context.time)
        if let id = id as? Author.ID, Model.self == Author.self {
            if try names.forget(id, in: connection) { noteRename(of: id) }
        }
        note(ModelKey(type, id))
    }

    private func noteDiscussion(of id: ArticleComment.ID) throws(OfflineError) {
        guard let comment = try comments.facts(id, in: connection)?.model() else { return }
        note(.comments(comment.articleID))
    }

    private func end<Model: StorableModel>(
        _ id: Model.ID, _ ending: ModelUpdate.RemovalReason, in table: ModelTable<Model>,
        at time: Timestamp
    ) throws(OfflineError) {
        let kind = try table.kindMade(in: connection)
        let known = try table.facts(id, in: connection)
        let former = try table.tombstone(of: id, kind, in: connection)
        var row = former ?? Tombstone(at: time)
        row.add(ending, known: known?.revision ?? 0, at: time)
        try row.store(kind, id, limit: limits.deletions, in: connection)
        table.noteTombstone()
        guard let known else { return }
        if case .unmatched(let revision) = ending, let article = known as? ModelFacts<Article>,
            try isHeld(article.id)
        {
            // It may still exist, so it is kept; but it is no longer listed.
            if known.revision < revision { try unlist(article.id) }
            return
        }
        let rest = known.without { row.follows(revision: $0.revision, seenAt: $0.seenAt) }
        guard rest != known else { return }
        guard let rest else { return try table.remove(id, in: connection) }
        let stored = try table.store(rest, isKnown: true, in: connection)
        guard let article = rest as? ModelFacts<Article> else { return }
        try list(article, stored.number, isNew: false, row)
    }

    private func unlist(_ id: Article.ID) throws(OfflineError) {
        let row = try connection.statement(
            """
            DELETE FROM articles
            WHERE number = (SELECT number FROM models WHERE kind = ?1 AND id = ?2)
            """)
        try row.bind(1, StoreSchema.articleKind)
        try row.bind(2, id)
        try row.run()
    }

    /// Returns true if the article stays whatever else is stored.
    private func isHeld(_ id: Article.ID) throws(OfflineError) -> Bool {
        let row = try connection.statement(
            """
            SELECT 1 FROM pins WHERE article = ?1
            UNION ALL SELECT 1 FROM outbox WHERE article = ?1
            """)
        try row.bind(1, id)
        return try row.step()
    }
}
