public import ArticleAPI
import ArticleAdminAPI
public import ArticleStore

/// The rows of an article: itself, its revisions, its bodies and their renderings for readers.
///
/// An attribute that is added to articles changes this file and no other of the engine.
extension SQL {
    // The first four statements return the columns of `StoredArticle`.
    static let articleByNumber: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE articles.number = ?1
        """
    fileprivate static let articleByID: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE articles.id = ?1
        """
    fileprivate static let articleBySlug: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*
        FROM slugs JOIN articles ON articles.number = slugs.article
        JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE slugs.slug = ?1
        """
    fileprivate static let articleAtRevision: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | ?2)
        WHERE articles.id = ?1
        """
    fileprivate static let insertRevision: StaticString = """
        INSERT INTO revisions (
            row, article, number, action, editor, time, state, published_at, updated_at, slug,
            title, summary, language, authors, tags, hero_url, hero_text, source_name, source_url,
            word_count, reading_minutes, body, body_bytes, actor, comments, owner)
        VALUES (
            ?1 << 20 | ?2, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
            ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)
        """
    fileprivate static let body: StaticString = "SELECT text FROM bodies WHERE number = ?1"
    fileprivate static let insertBody: StaticString = "INSERT INTO bodies (text) VALUES (?1)"
    fileprivate static let rendering: StaticString = """
        SELECT renderer, html FROM articles
        JOIN revisions ON row = (articles.number << 20 | ?2)
        JOIN renderings ON renderings.body = revisions.body
        WHERE articles.id = ?1 AND renderer = ?3
        """
}

/// The stored state of an article.
enum StoredState: Int64 {
    case draft, published, archived, deleted, scheduled

    init(_ status: Article.Status) throws(StoreError) {
        switch status {
        case .draft: self = .draft
        case .scheduled: self = .scheduled
        case .published: self = .published
        case .archived: self = .archived
        case .unknown(let name): throw .conflict("the status \(name) is unknown")
        }
    }

    init(_ number: Int64) throws(StoreError) {
        guard let state = StoredState(rawValue: number) else {
            throw .corrupt("an article has the state \(number)")
        }
        self = state
    }

    var status: Article.Status {
        switch self {
        case .draft, .deleted: .draft
        case .scheduled: .scheduled
        case .published: .published
        case .archived: .archived
        }
    }
}

/// An article's row, joined with one of its revisions.
struct StoredArticle {
    /// The number of columns that it is read from.
    static let columns: Int32 = 31
    /// The column of `number`.
    static let numberColumn: Int32 = 6

    let id: Article.ID
    let number: Int64
    /// The current state, not that of the revision.
    let state: StoredState
    let lastRevision: Int
    let createdAt: Timestamp
    /// The current owner, not that of the revision.
    let owner: UserRecord.ID?
    let revision: StoredRevision

    /// An article whose last revision is this one.
    init(
        id: Article.ID, state: StoredState, createdAt: Timestamp, revision: StoredRevision
    ) {
        self.id = id
        self.state = state
        self.createdAt = createdAt
        self.revision = revision
        owner = revision.content.owner
        number = revision.article
        lastRevision = revision.number
    }

    /// Reads the columns of `SQL.articleByNumber` and similar queries.
    ///
    /// - Parameter first: the number of columns before them.
    init(_ row: borrowing Statement, from first: Int32 = 0) throws(StoreError) {
        id = try row.identifier(first)
        state = try StoredState(row.integer(first + 1))
        lastRevision = Int(row.integer(first + 2))
        createdAt = row.time(first + 3)
        owner = try row.optionalIdentifier(first + 4)
        revision = try StoredRevision(row, from: first + 5)
        number = revision.article
    }

    func isVisible(to audience: Audience) -> Bool { audience.sees(state, ownedBy: owner) }

    /// Returns true if the audience is the owner of the article.
    func isOwned(by audience: Audience) -> Bool { owner.map { audience == .author($0) } ?? false }
}

/// A stored revision.
struct StoredRevision {
    var article: Int64
    var number: Int
    var action: Revision.Action
    var actor: StoredActor
    var time: Timestamp
    var updatedAt: Timestamp
    var content: StoredContent

    /// The state of the article at this revision.
    var state: StoredState { action == .deleted ? .deleted : content.state }
}

extension StoredRevision {
    /// Reads the columns of `revisions.*`.
    init(_ row: borrowing Statement, from first: Int32) throws(StoreError) {
        article = row.integer(first + 1)
        number = Int(row.integer(first + 2))
        action = Revision.Action(stored: row.integer(first + 3))
        actor = StoredActor(row, actor: first + 23, editor: first + 4)
        time = row.time(first + 5)
        updatedAt = row.time(first + 8)
        content = try StoredContent(row, from: first)
    }
}

/// The content of a revision with names resolved to numbers. Equal content does not create a
/// revision.
struct StoredContent: Equatable {
    var state: StoredState
    var publishedAt: Timestamp?
    var slug: String
    var title: String
    var summary: String
    var language: String
    /// Numbers of author facets in the order of the byline.
    var authors: [Int64]
    /// Numbers of tag facets in the editor's order.
    var tags: [Int64]
    var heroImage: Article.HeroImage?
    var source: Article.Source?
    var wordCount: Int
    var readingMinutes: Int
    /// The row of the body.
    var body: Int64
    var bodyBytes: Int
    var comments: StoredPolicy?
    var owner: UserRecord.ID?
}

extension StoredContent {
    /// The content of a draft whose names have been resolved.
    ///
    /// - Parameters:
    ///   - body: the row of the draft's body.
    ///   - owner: the draft's, or another one who may own the article.
    init(
        _ draft: Article.Draft, state: StoredState, slug: String, language: String,
        authors: [Int64], tags: [Int64], body: Int64, measure: TextMeasure, owner: UserRecord.ID?
    ) throws(StoreError) {
        self.state = state
        publishedAt = draft.publishedAt
        self.slug = slug
        title = draft.title
        summary = draft.summary
        self.language = language
        self.authors = authors
        self.tags = tags
        heroImage = draft.heroImage
        source = draft.source
        wordCount = measure.words
        readingMinutes = measure.readingMinutes
        self.body = body
        bodyBytes = draft.body.utf8.count
        comments = try draft.comments.map { (policy) throws(StoreError) in
            try StoredPolicy(policy)
        }
        self.owner = owner
    }

    /// Reads the columns of `revisions.*`.
    fileprivate init(_ row: borrowing Statement, from first: Int32) throws(StoreError) {
        state = try StoredState(row.integer(first + 6))
        publishedAt = row.optionalTime(first + 7)
        slug = row.text(first + 9)
        title = row.text(first + 10)
        summary = row.text(first + 11)
        language = row.text(first + 12)
        authors = row.numbers(first + 13)
        tags = row.numbers(first + 14)
        heroImage = row.optionalText(first + 15).map { url in
            Article.HeroImage(url: url, alternativeText: row.optionalText(first + 16))
        }
        source = row.optionalText(first + 17).map { name in
            Article.Source(name: name, url: row.optionalText(first + 18))
        }
        wordCount = Int(row.integer(first + 19))
        readingMinutes = Int(row.integer(first + 20))
        body = row.integer(first + 21)
        bodyBytes = Int(row.integer(first + 22))
        comments = try row.optionalInteger(first + 24).map { (number) throws(StoreError) in
            try StoredPolicy(number)
        }
        owner = try row.optionalIdentifier(first + 25)
    }

    /// An estimate of the size in a page in bytes, without the body.
    var lightBytes: Int {
        512 + title.utf8.count + summary.utf8.count + slug.utf8.count
            + 100 * (authors.count + tags.count)
    }

    /// Binds its columns of `SQL.insertRevision`.
    fileprivate func bind(to row: borrowing Statement) throws(StoreError) {
        try row.bind(6, state.rawValue)
        try row.bind(7, publishedAt)
        try row.bind(9, slug)
        try row.bind(10, title)
        try row.bind(11, summary)
        try row.bind(12, language)
        try row.bind(13, Self.list(authors))
        try row.bind(14, Self.list(tags))
        try row.bind(15, heroImage?.url)
        try row.bind(16, heroImage?.alternativeText)
        try row.bind(17, source?.name)
        try row.bind(18, source?.url)
        try row.bind(19, wordCount)
        try row.bind(20, readingMinutes)
        try row.bind(21, body)
        try row.bind(22, bodyBytes)
        try row.bind(24, comments?.rawValue)
        try row.bind(25, owner)
    }

    private static func list(_ numbers: [Int64]) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }
}

extension Article {
    /// A stored article, with the names that its numbers stand for.
    init(
        _ stored: StoredArticle, body: String?, authors: [Author.Reference], tags: [ArticleTag],
        version: String?, owner: UserRecord.ID?
    ) {
        let content = stored.revision.content
        self.init(
            id: stored.id, slug: content.slug, title: content.title, summary: content.summary,
            body: body, language: content.language, authors: authors, tags: tags,
            heroImage: content.heroImage, status: content.state.status,
            publishedAt: content.publishedAt, createdAt: stored.createdAt,
            updatedAt: stored.revision.updatedAt, revision: stored.revision.number,
            version: version, source: content.source, wordCount: content.wordCount,
            readingMinutes: content.readingMinutes, comments: content.comments?.policy,
            owner: owner)
    }
}

extension Snapshot {
    /// The articles read ahead; `nil` if that is of no use.
    var articlesAhead: ArticlePrefetch? { ahead?.kept { ArticlePrefetch() } }

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
        if let found = articlesAhead?.takeArticle(number) { return found }
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

    func body(_ number: Int64) throws(StoreError) -> String {
        if let found = articlesAhead?.takeBody(number) { return found }
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
}

extension SQLStore {
    public func bodyHTML(
        of articles: [Article], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?] {
        try await read { (state) throws(StoreError) in
            var found: [BodyHTML?] = []
            for article in articles { found.append(try state.bodyHTML(of: article, by: renderer)) }
            return found
        }
    }

    public func keepBodyHTML(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.keep(html, of: id, revision: revision)
        }
    }
}

extension WriteStep {
    /// Adds a revision to an article.
    func insertRevision(
        _ step: RevisionData, number: Int, of article: Int64
    ) throws(StoreError) {
        guard let action = step.action.stored else { throw .conflict("an unknown action") }
        let row = try connection.statement(SQL.insertRevision)
        try row.bind(1, article)
        try row.bind(2, number)
        try row.bind(3, action)
        try row.bind(4, step.actor.name)
        try row.bind(5, step.time)
        try step.content.bind(to: row)
        try row.bind(8, step.updatedAt)
        try row.bind(23, step.actor.number)
        try row.run()
    }

    func insertBody(_ text: String) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.insertBody)
        try row.bind(1, text)
        return try row.insert()
    }
}

extension StoredArticle {
    var version: VersionedRevision<Article> {
        VersionedRevision(
            id: id, revision: revision.number, time: revision.time, subject: (.article, number))
    }
}
