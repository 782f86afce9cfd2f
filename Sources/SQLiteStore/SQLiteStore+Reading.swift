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
