import ArticleAPI
import ArticleStore

/// One atomic step of the writer: it runs in a savepoint, which is rolled back if it throws.
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
