public import ArticleAPI
public import ArticleStore

extension SQLiteStore: ArticleStore, StoreMaintenance {
    public func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) async throws(StoreError) -> Article {
        try await write(edit, Self.created) { (step) throws(StoreError) in
            try step.createArticle(id, content, by: edit)
        }
    }

    public func updateArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: @escaping @Sendable (Article) throws -> ArticleContent
    ) async throws(StoreError) -> Article {
        try await write(edit, Self.changed) { (step) throws(StoreError) in
            try step.updateArticle(id, expecting: expectation, by: edit, change)
        }
    }

    public func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) {
        try await write(edit, Self.deleted) { (step) throws(StoreError) in
            try step.deleteArticle(id, expecting: expectation, by: edit)
        }
    }

    public func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) -> Article {
        try await write(edit, Self.changed) { (step) throws(StoreError) in
            try step.restoreArticle(id, to: number, expecting: expectation, by: edit)
        }
    }

    public func keepBodyHTML(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) async throws(StoreError) {
        try await writer.submit { (step) throws(StoreError) in
            try step.keep(html, ofBody: step.state.stored(id, at: revision).revision.content.body)
        }
    }

    public func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: @escaping @Sendable (Author?) throws -> AuthorContent
    ) async throws(StoreError) -> (author: Author, isNew: Bool) {
        try await write(edit, Self.put) { (step) throws(StoreError) in
            try step.putAuthor(id, expecting: expectation, at: edit.time, change)
        }
    }

    public func createKey(_ key: KeyRecord) async throws(StoreError) {
        try await writer.submit { (step) throws(StoreError) in try step.createKey(key) }
    }

    public func revokeKey(
        _ id: String, at time: Timestamp
    ) async throws(StoreError) -> KeyRecord {
        try await writer.submit { (step) throws(StoreError) in
            try step.revokeKey(id, at: time)
        }
    }

    public func secret(named name: String) async throws(StoreError) -> [UInt8] {
        let found = try await readers.read { (state) throws(StoreError) in
            try state.secret(named: name)
        }
        if let found { return found }
        return try await writer.submit { (step) throws(StoreError) in
            try step.secret(named: name)
        }
    }

    public func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        try await writer.submit(isKept: !dryRun) { (step) throws(StoreError) in
            try step.importArticles(items, by: edit)
        }
    }

    public func restore(
        _ records: [ExportRecord], dryRun: Bool
    ) async throws(StoreError) -> RestoreCounts {
        try await writer.submit(isKept: !dryRun) { (step) throws(StoreError) in
            try step.restore(records)
        }
    }

    @Sendable
    private static func created(_ article: Article) -> WrittenItem {
        .article(article, isNew: true)
    }

    @Sendable
    private static func changed(_ article: Article) -> WrittenItem {
        .article(article, isNew: false)
    }

    @Sendable
    private static func deleted(_: Void) -> WrittenItem { .nothing }

    @Sendable
    private static func put(_ result: (author: Author, isNew: Bool)) -> WrittenItem {
        .author(result.author, isNew: result.isNew)
    }

    public func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) async throws(StoreError) {
        try await writer.submit { (step) throws(StoreError) in
            try step.keepRejection(words, of: key, at: time)
        }
    }

    /// Runs the step, idempotently if the edit has a key.
    private func write<Value: Sendable>(
        _ edit: Edit, _ written: @escaping @Sendable (Value) -> WrittenItem,
        _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        guard let key = edit.key else { return try await writer.submit(work) }
        return try await writer.submit { (step) throws(StoreError) in
            try step.once(key, at: edit.time, written, work)
        }
    }
}
