public import ArticleAPI
public import ArticleStore
public import Platform

extension SQLiteStore {
    public var workers: WorkerPool { readers.workers }

    public func edition(
        of key: Article.Key, visibleTo audience: Audience
    ) async throws(StoreError) -> ArticleVersion {
        try await readers.read { (state) throws(StoreError) in
            try state.edition(of: key, visibleTo: audience)
        }
    }

    public func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice {
        try await readers.read { (state) throws(StoreError) in
            var slice = try state.articles(query)
            if query.counts { slice.count = try state.count(query) }
            return slice
        }
    }

    public func nextPublication(after time: Timestamp) async throws(StoreError) -> Timestamp? {
        try await readers.read { (state) throws(StoreError) in
            try state.nextPublication(after: time)
        }
    }

    public func revisions(
        of id: Article.ID, below number: Int?, limit: Int
    ) async throws(StoreError) -> Slice<Revision, Int> {
        try await readers.read { (state) throws(StoreError) in
            try state.revisions(of: id, below: number, limit: limit)
        }
    }

    public func revision(
        _ number: Int, of id: Article.ID
    ) async throws(StoreError) -> Article {
        try await readers.read { (state) throws(StoreError) in
            try state.present(state.stored(id, at: number), withBody: true)
        }
    }

    public func bodyHTML(
        of articles: [Article], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?] {
        try await readers.read { (state) throws(StoreError) in
            var found: [BodyHTML?] = []
            for article in articles { found.append(try state.bodyHTML(of: article, by: renderer)) }
            return found
        }
    }

    public func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Tag.Usage, String> {
        try await readers.read { (state) throws(StoreError) in
            try state.tags(after: key, limit: limit, visibleTo: audience)
        }
    }

    public func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Author, Author.ID> {
        try await readers.read { (state) throws(StoreError) in
            try state.authors(after: id, limit: limit, visibleTo: audience)
        }
    }

    public func author(
        _ id: Author.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> Author {
        try await readers.read { (state) throws(StoreError) in
            try state.author(id, visibleTo: audience)
        }
    }

    public func keys() async throws(StoreError) -> [KeyRecord] {
        try await readers.read { (state) throws(StoreError) in try state.keys() }
    }

    public func idempotencyRecord(
        _ scope: [UInt8], at time: Timestamp
    ) async throws(StoreError) -> IdempotencyRecord? {
        try await readers.read { (state) throws(StoreError) in
            try state.idempotencyRecord(scope, at: time)
        }
    }

    public func changeSequence() async throws(StoreError) -> Int64 {
        try await readers.read { (state) throws(StoreError) in try state.changeSequence() }
    }

    public func changes(
        after sequence: Int64, limit: Int
    ) async throws(StoreError) -> [ChangeRecord] {
        try await readers.read { (state) throws(StoreError) in
            try state.changes(after: sequence, limit: limit)
        }
    }

    public func observeChanges(_ observer: any ChangeObserver) { writer.announcer.add(observer) }

    public func articleCount() async throws(StoreError) -> Int {
        try await readers.read { (state) throws(StoreError) in try state.articleCount() }
    }

    public func export(
        _ body: @escaping @Sendable (ExportRecord) throws -> Void
    ) async throws(StoreError) {
        try await exports.export(body)
    }
}

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
