import ArticleAPI
import ArticleStore

/// One atomic step of the writer: if it throws, its changes are rolled back (`CommitQueue`).
struct WriteStep {
    let connection: Connection
    /// The committed state including the changes of this step and the previous ones in the commit.
    let state: Snapshot

    init(_ connection: Connection, _ configuration: SQLiteConfiguration) {
        self.connection = connection
        state = Snapshot(connection, configuration, names: connection.names)
    }

    // MARK: Articles

    func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) throws(StoreError) -> Article {
        var article = try state.present(create(id, content, by: edit), withBody: false)
        article.body = content.body
        return article
    }

    func create(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) throws(StoreError) -> StoredArticle {
        let article = try insert(
            id, state: StoredState(content.status), revision: 1,
            publication: content.publishedAt ?? edit.time, createdAt: edit.time)
        let resolved = try resolve(content, for: article, id: id, current: nil, at: edit.time)
        let step = Step(
            action: .created, actor: try stored(edit.actor), time: edit.time, updatedAt: edit.time,
            content: resolved, isDeletion: false)
        try record(firstStep: step, of: article, id: id)
        return StoredArticle(
            id: id, state: resolved.state, createdAt: edit.time,
            revision: StoredRevision(
                article: article, number: 1, action: step.action, actor: step.actor,
                time: step.time, updatedAt: step.updatedAt, content: resolved))
    }

    func updateArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: (Article) throws -> ArticleContent
    ) throws(StoreError) -> Article {
        guard let current = try state.stored(.id(id)), current.state != .deleted else {
            throw .notFound
        }
        try expectation.check(current.id, at: current.lastRevision, in: state)
        let before = try state.present(current, withBody: true)
        let content: ArticleContent
        do { content = try change(before) } catch { throw .rejected(error) }
        return try state.present(
            update(current, to: content, from: before, by: edit), withBody: true)
    }

    /// The article after an update; unchanged if the content is equal.
    func update(
        _ current: StoredArticle, to content: ArticleContent, from before: Article, by edit: Edit
    ) throws(StoreError) -> StoredArticle {
        let resolved = try resolve(
            content, for: current.number, id: current.id,
            current: (current.revision.content, before.body ?? ""), at: edit.time)
        guard resolved != current.revision.content else { return current }
        let time = max(edit.time, current.revision.time)
        try record(
            Step(
                action: .updated, actor: try stored(edit.actor), time: time, updatedAt: time,
                content: resolved, isDeletion: false),
            of: current.number, id: current.id, createdAt: current.createdAt, after: current)
        return try state.stored(number: current.number)
    }

    func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) throws(StoreError) {
        guard let current = try state.stored(.id(id)), current.state != .deleted else {
            throw .notFound
        }
        try expectation.check(current.id, at: current.lastRevision, in: state)
        try record(
            Step(
                action: .deleted, actor: try stored(edit.actor),
                time: max(edit.time, current.revision.time),
                updatedAt: current.revision.updatedAt, content: current.revision.content,
                isDeletion: true),
            of: current.number, id: id, createdAt: current.createdAt, after: current)
    }

    func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) throws(StoreError) -> Article {
        guard let current = try state.stored(.id(id)) else { throw .notFound }
        try expectation.check(current.id, at: current.lastRevision, in: state)
        let earlier = try state.stored(id, at: number)
        let content = earlier.revision.content
        if current.state != .deleted, content == current.revision.content {
            return try state.present(current, withBody: true)
        }
        let time = max(edit.time, current.revision.time)
        try record(
            Step(
                action: .restored, actor: try stored(edit.actor), time: time, updatedAt: time,
                content: content, isDeletion: false),
            of: current.number, id: id, createdAt: current.createdAt, after: current)
        return try state.present(state.stored(number: current.number), withBody: true)
    }
}

extension Precondition {
    /// Compares the current revision (`nil` if there is none) with the expected state.
    func check<Subject>(
        _ id: Identifier<Subject>, at current: Int?, in state: Snapshot
    ) throws(StoreError) {
        let holds =
            switch self {
            case .anything: true
            case .existing: current != nil
            case .nothing: current == nil
            case .versions(let versions):
                if let current {
                    versions.contains(try state.epoch().version(of: id, revision: current))
                } else {
                    false
                }
            }
        guard holds else { throw .preconditionFailed(current: current) }
    }
}

extension WriteStep {
    /// Runs the step and stores its result under the key, unless it has already been executed.
    func once<Value>(
        _ key: IdempotencyKey, at time: Timestamp, _ written: (Value) -> WrittenItem,
        _ work: (WriteStep) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        if let earlier = try state.idempotencyRecord(key.scope, at: time) {
            throw earlier.request == key.request ? .repeated : .keyReused
        }
        try removeOldWrites(at: time)
        let limit = state.configuration.idempotencyRecordsPerPrincipal
        guard try keptCounts(key.principal).done < limit else {
            throw .tooMany("idempotent writes within 24 hours")
        }
        let value = try work(self)
        let item = written(value)
        var body: Int64?
        if case .article(let article, _) = item { body = try bodyNumber(of: article) }
        try keep(key.item(item, time), key, at: time, outcome: item.isNew ? 1 : 0, body: body)
        return value
    }

    /// Stores the response of a rejected write.
    func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) throws(StoreError) {
        guard try state.idempotencyRecord(key.scope, at: time) == nil else { return }
        try removeOldWrites(at: time)
        let limit = state.configuration.rejectionsPerPrincipal
        if try keptCounts(key.principal).rejected >= limit {
            let oldest = try connection.statement(SQL.removeOldestRejection)
            try oldest.bind(1, key.principal)
            try oldest.run()
        }
        try keep(words, key, at: time, outcome: 2, body: nil)
    }

    /// Each new row deletes up to four expired ones, so there are at most as many as are written in
    /// 24 hours. A row with a time in the future, because the clock was set back, is redated to
    /// now.
    private func removeOldWrites(at time: Timestamp) throws(StoreError) {
        let old = try connection.statement(SQL.removeOldWrites)
        try old.bind(1, time.milliseconds - IdempotencyKey.keptMilliseconds)
        try old.run()
        let early = try connection.statement(SQL.redateWrites)
        try early.bind(1, time)
        try early.bind(2, time.milliseconds + IdempotencyKey.keptMilliseconds)
        try early.run()
    }

    private func keptCounts(
        _ principal: String
    ) throws(StoreError) -> (done: Int, rejected: Int) {
        let row = try connection.statement(SQL.keptCounts)
        try row.bind(1, principal)
        return try row.step() ? (Int(row.integer(0)), Int(row.integer(1))) : (0, 0)
    }

    private func bodyNumber(of article: Article) throws(StoreError) -> Int64? {
        let row = try connection.statement(SQL.bodyOfRevision)
        try row.bind(1, article.id)
        try row.bind(2, article.revision)
        return try row.step() ? row.integer(0) : nil
    }

    private func keep(
        _ item: [UInt8], _ key: IdempotencyKey, at time: Timestamp, outcome: Int, body: Int64?
    ) throws(StoreError) {
        // There may be an expired record.
        let old = try connection.statement(SQL.removeIdempotencyRecord)
        try old.bind(1, key.scope)
        try old.run()
        let row = try connection.statement(SQL.insertIdempotencyRecord)
        try row.bind(1, key.scope)
        try row.bind(2, key.request)
        try row.bind(3, key.principal)
        try row.bind(4, time)
        try row.bind(5, outcome)
        try row.bind(6, item)
        try row.bind(7, body)
        try row.run()
    }
}
