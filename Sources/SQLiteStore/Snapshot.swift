import ArticleAPI
import ArticleStore

/// A read transaction: all results are from the same committed state.
struct Snapshot {
    let connection: Connection
    let configuration: SQLiteConfiguration
    private let names: Names

    /// - Parameters:
    ///   - connection: a connection in a transaction that outlives the snapshot.
    ///   - configuration: the limits for reads.
    ///   - names: a cache of names for the same state.
    init(_ connection: Connection, _ configuration: SQLiteConfiguration, names: Names = Names()) {
        self.connection = connection
        self.configuration = configuration
        self.names = names
    }

    // MARK: Articles

    func edition(
        of key: Article.Key, visibleTo audience: Audience
    ) throws(StoreError) -> ArticleVersion {
        guard let stored = try stored(key), stored.isVisible(to: audience),
            try isKnown(stored, by: key, to: audience)
        else { throw .notFound }
        let article = try present(stored, withBody: true)
        var changedAt = article.updatedAt
        for number in stored.revision.content.authors {
            changedAt = max(changedAt, try author(number: number).updatedAt)
        }
        return ArticleVersion(article: article, changedAt: changedAt)
    }

    /// Whether the audience may find the article by this key: the public must not find it by a slug
    /// that it only had as a draft or before its publication.
    private func isKnown(
        _ stored: StoredArticle, by key: Article.Key, to audience: Audience
    ) throws(StoreError) -> Bool {
        guard case .slug(let slug) = key, case .everyone(let now) = audience,
            slug != stored.revision.content.slug
        else { return true }
        let row = try connection.statement(SQL.isPublicSlug)
        try row.bind(1, slug)
        try row.bind(2, now)
        return try row.step()
    }

    /// The article with its last revision, deleted or not; `nil` before its first revision.
    func stored(_ key: Article.Key) throws(StoreError) -> StoredArticle? {
        switch key {
        case .id(let id):
            let row = try connection.statement(SQL.articleByID)
            try row.bind(1, id)
            return try row.step() ? StoredArticle(row) : nil
        case .slug(let slug):
            let row = try connection.statement(SQL.articleBySlug)
            try row.bind(1, slug)
            return try row.step() ? StoredArticle(row) : nil
        }
    }

    func stored(number: Int64) throws(StoreError) -> StoredArticle {
        let row = try connection.statement(SQL.articleByNumber)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("article \(number) has no revision") }
        return try StoredArticle(row)
    }

    func stored(_ id: Article.ID, at number: Int) throws(StoreError) -> StoredArticle {
        let row = try connection.statement(SQL.articleAtRevision)
        try row.bind(1, id)
        try row.bind(2, number)
        guard (1..<1 << 20).contains(number), try row.step() else { throw .notFound }
        return try StoredArticle(row)
    }

    /// The article with its version, as callers see it.
    func present(_ stored: StoredArticle, withBody: Bool) throws(StoreError) -> Article {
        var article = try content(of: stored, withBody: withBody)
        article.version = try epoch().version(of: article.id, revision: article.revision)
        return article
    }

    /// The article without a version, independent of the database's history.
    func content(of stored: StoredArticle, withBody: Bool) throws(StoreError) -> Article {
        let content = stored.revision.content
        var authors: [Author.Reference] = []
        for number in content.authors { authors.append(try author(number: number).reference) }
        var tags: [Tag] = []
        for number in content.tags { tags.append(try tag(number)) }
        return Article(
            id: stored.id, slug: content.slug, title: content.title, summary: content.summary,
            body: withBody ? try body(content.body) : nil, language: content.language,
            authors: authors, tags: tags, heroImage: content.heroImage,
            status: content.state.status, publishedAt: content.publishedAt,
            createdAt: stored.createdAt, updatedAt: stored.revision.updatedAt,
            revision: stored.revision.number, source: content.source,
            wordCount: content.wordCount, readingMinutes: content.readingMinutes)
    }

    func body(_ number: Int64) throws(StoreError) -> String {
        let row = try connection.statement(SQL.body)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("body \(number) is missing") }
        return row.text(0)
    }

    func bodyHTML(of article: Article, by renderer: String) throws(StoreError) -> BodyHTML? {
        let row = try connection.statement(SQL.rendering)
        try row.bind(1, article.id)
        try row.bind(2, article.revision)
        try row.bind(3, renderer)
        return try row.step() ? BodyHTML(renderer: row.text(0), html: row.optionalText(1)) : nil
    }

    func tag(_ number: Int64) throws(StoreError) -> Tag {
        try names.tag(number) { () throws(StoreError) in
            let row = try connection.statement(SQL.tagByNumber)
            try row.bind(1, number)
            guard try row.step() else { throw .corrupt("tag \(number) is missing") }
            return Tag(key: row.text(0), name: row.text(1))
        }
    }

    private func author(number: Int64) throws(StoreError) -> Names.NamedAuthor {
        try names.author(number) { () throws(StoreError) in
            let row = try connection.statement(SQL.authorReference)
            try row.bind(1, number)
            guard try row.step() else { throw .corrupt("author \(number) is missing") }
            return Names.NamedAuthor(
                reference: Author.Reference(id: try row.identifier(0), name: row.text(1)),
                updatedAt: row.time(2))
        }
    }

    /// The epoch of the database.
    func epoch() throws(StoreError) -> Epoch {
        try names.epoch { () throws(StoreError) in
            let row = try connection.statement(SQL.epoch)
            guard try row.step(), let epoch = Epoch(row) else {
                throw .corrupt("the epoch is missing")
            }
            return epoch
        }
    }

    // MARK: Revisions

    func revisions(
        of id: Article.ID, below number: Int?, limit: Int
    ) throws(StoreError) -> Slice<Revision, Int> {
        guard let article = try articleNumber(id), article.revision > 0 else { throw .notFound }
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.history)
        try row.bind(1, article.number)
        try row.bind(2, min(max(number ?? .max, 0), 1 << 20 - 1))
        try row.bind(3, limit + 1)
        var items: [Revision] = []
        while try row.step() {
            if items.count == limit { return Slice(items: items, next: items.last?.number) }
            items.append(
                Revision(
                    number: Int(row.integer(0)), action: Revision.Action(stored: row.integer(1)),
                    title: row.text(2), status: try StoredState(row.integer(3)).status,
                    createdAt: row.time(4),
                    actor: try actor(StoredActor(row, actor: 6, editor: 5))))
        }
        return Slice(items: items, next: nil)
    }

    /// An actor with its current name.
    func actor(_ stored: StoredActor) throws(StoreError) -> Revision.Actor {
        switch stored {
        case .unrecorded(let name): return Revision.Actor(kind: .unrecorded, name: name)
        case .numbered(let number):
            return try names.actor(number) { () throws(StoreError) in
                let row = try connection.statement(SQL.actorByNumber)
                try row.bind(1, number)
                guard try row.step() else { throw .corrupt("actor \(number) is missing") }
                return try Revision.Actor(row)
            }
        }
    }

    func articleNumber(
        _ id: Article.ID
    ) throws(StoreError) -> (number: Int64, revision: Int)? {
        let row = try connection.statement(SQL.articleNumber)
        try row.bind(1, id)
        return try row.step() ? (row.integer(0), Int(row.integer(1))) : nil
    }

    func articleCount() throws(StoreError) -> Int {
        let row = try connection.statement(SQL.liveCount)
        guard try row.step() else { throw .corrupt("the article counter is missing") }
        return Int(row.integer(0))
    }
}

extension Epoch {
    /// Reads the column of `SQL.epoch`.
    init?(_ row: borrowing Statement) {
        let bytes = row.bytes(0)
        guard bytes.count == 16 else { return nil }
        let words = [bytes[..<8], bytes[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: words[0], low: words[1])
    }
}

extension Snapshot {
    func changeSequence() throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.lastSequence)
        return try row.step() ? row.integer(0) : 0
    }

    func changes(after sequence: Int64, limit: Int) throws(StoreError) -> [ChangeRecord] {
        let row = try connection.statement(SQL.changesAfter)
        try row.bind(1, sequence)
        try row.bind(2, min(max(limit, 1), 1_000))
        var changes: [ChangeRecord] = []
        while try row.step() {
            changes.append(
                ChangeRecord(
                    sequence: row.integer(0),
                    subject: try subject(kind: row.integer(1), number: row.integer(2)),
                    revision: Int(row.integer(3)), isDeletion: row.integer(4) != 0,
                    isPublic: row.integer(5) != 0))
        }
        return changes
    }

    func keys() throws(StoreError) -> [KeyRecord] {
        let row = try connection.statement(SQL.keys)
        var keys: [KeyRecord] = []
        while try row.step() { keys.append(KeyRecord(row)) }
        return keys
    }

    /// The record stored under the scope, unless it has expired.
    func idempotencyRecord(_ scope: [UInt8], at time: Timestamp) throws(StoreError)
        -> IdempotencyRecord?
    {
        let row = try connection.statement(SQL.idempotencyRecord)
        try row.bind(1, scope)
        guard try row.step(),
            row.integer(0) > time.milliseconds - IdempotencyKey.keptMilliseconds
        else { return nil }
        let outcome: IdempotencyRecord.Outcome =
            switch row.integer(2) {
            case 2: .rejected(row.bytes(3))
            case let number:
                .done(item: row.bytes(3), isNew: number == 1, body: row.optionalText(4))
            }
        return IdempotencyRecord(request: row.bytes(1), outcome: outcome)
    }

    func secret(named name: String) throws(StoreError) -> [UInt8]? {
        let row = try connection.statement(SQL.secret)
        try row.bind(1, name)
        return try row.step() ? row.bytes(0) : nil
    }

    private func subject(
        kind: Int64, number: Int64
    ) throws(StoreError) -> ChangeRecord.Subject {
        let row = try connection.statement(
            kind == 0 ? SQL.articleIDByNumber : SQL.authorIDByNumber)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("a change has no subject (\(kind), \(number))") }
        return kind == 0 ? .article(try row.identifier(0)) : .author(try row.identifier(0))
    }
}

extension ChangeRecord.Subject {
    /// The column `kind` of its changes.
    var kind: Int64 {
        switch self {
        case .article: 0
        case .author: 1
        }
    }
}

extension KeyRecord {
    /// Reads the columns of `SQL.keys`.
    init(_ row: borrowing Statement) {
        self.init(
            id: row.text(0), digest: row.bytes(1), name: row.text(2), role: row.text(3),
            createdAt: row.time(4), expiresAt: row.optionalTime(5), revokedAt: row.optionalTime(6))
    }
}
