import ArticleAPI
import ArticleStore

/// The position of a walk through the changes of a Broadsheet.
struct ChangesPosition {
    var position: SourcePosition
    private(set) var isAtEnd = false
    private var hasRestarted = false

    private static let limit = 200
    private static let tokenBytes = 1_000

    init(_ position: SourcePosition) {
        self.position = position
        if position.token == nil { beginSnapshot() }
    }

    /// The path and the query of the next page.
    var target: String {
        RequestPrinter.target(
            of: FetchChangesRequest(
                since: position.token, limit: Self.limit, types: [.article],
                fields: FieldSelection(Self.fields)))
    }

    private static let fields = [
        "id", "slug", "title", "summary", "body", "language", "authors", "tags", "heroImage",
        "status", "publishedAt", "createdAt", "updatedAt", "revision", "source", "wordCount",
        "readingMinutes",
    ]

    /// Begins with a snapshot, once; false if it has before.
    mutating func restart() -> Bool {
        guard !hasRestarted, position.token != nil else { return false }
        hasRestarted = true
        position.token = nil
        beginSnapshot()
        return true
    }

    mutating func advance(past page: ChangePage<Article>) throws(SourceFailure) {
        guard page.next.utf8.count <= Self.tokenBytes, !page.more || page.next != position.token
        else { throw SourceFailure("the token of the next page is invalid") }
        position.token = page.next
        isAtEnd = !page.more
    }

    private mutating func beginSnapshot() {
        position.round += 1
        position.isListing = true
    }
}
