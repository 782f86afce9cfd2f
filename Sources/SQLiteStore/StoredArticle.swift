import ArticleAPI
import ArticleStore

/// The stored state of an article; a scheduled one is published with a later time.
enum StoredState: Int64 {
    case draft, published, archived, deleted

    init(_ status: Article.Status) throws(StoreError) {
        switch status {
        case .draft: self = .draft
        case .scheduled, .published: self = .published
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
        case .published: .published
        case .archived: .archived
        }
    }
}

/// The kinds of facets under which articles are listed.
enum FacetKind: Int64 {
    case all, tag, author, language, source
}

/// The facet of all articles that are not deleted.
let everyArticle: Int64 = 1

/// An article's row, joined with one of its revisions.
struct StoredArticle {
    let id: Article.ID
    let number: Int64
    /// The current state, not that of the revision.
    let state: StoredState
    let lastRevision: Int
    let createdAt: Timestamp
    let revision: StoredRevision

    /// An article whose last revision is this one.
    init(
        id: Article.ID, state: StoredState, createdAt: Timestamp, revision: StoredRevision
    ) {
        self.id = id
        self.state = state
        self.createdAt = createdAt
        self.revision = revision
        number = revision.article
        lastRevision = revision.number
    }

    /// Reads the columns of `SQL.articleByNumber` and similar queries.
    init(_ row: borrowing Statement) throws(StoreError) {
        id = try row.identifier(0)
        state = try StoredState(row.integer(1))
        lastRevision = Int(row.integer(2))
        createdAt = row.time(3)
        revision = try StoredRevision(row, from: 4)
        number = revision.article
    }

    func isVisible(to audience: Audience) -> Bool {
        switch audience {
        case .editors: state != .deleted
        case .everyone(let now):
            state == .published && (revision.content.publishedAt ?? createdAt) <= now
        }
    }
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
}

extension StoredContent {
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
    }

    /// An estimate of the size in a page in bytes, without the body.
    var lightBytes: Int {
        512 + title.utf8.count + summary.utf8.count + slug.utf8.count
            + 100 * (authors.count + tags.count)
    }
}

extension Revision.Action {
    init(stored: Int64) {
        self =
            switch stored {
            case 0: .created
            case 1: .updated
            case 2: .deleted
            case 3: .restored
            default: .unknown("\(stored)")
            }
    }

    /// The stored number; `nil` for an action that this version does not know.
    var stored: Int64? {
        switch self {
        case .created: 0
        case .updated: 1
        case .deleted: 2
        case .restored: 3
        case .unknown: nil
        }
    }
}
