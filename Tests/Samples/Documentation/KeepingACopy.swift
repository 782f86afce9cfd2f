import BroadsheetKit

/// A copy of an app's own: the titles of the articles with a tag, and the token at which they are.
struct Titles: Equatable {
    private(set) var titles: [Article.ID: String] = [:]
    /// The token of the last page; `nil` before the first.
    private(set) var token: String?
    /// True if the whole snapshot has arrived.
    private(set) var isComplete = false

    static let filter = FetchChangesRequest(tags: ["writing"])

    mutating func apply(_ step: SyncStep) {
        switch step {
        case .restart: self = Titles()
        case .page(let page):
            for change in page.changes {
                switch change {
                case .putArticle(let article, _): titles[article.id] = article.title
                case .deleteArticle(let id, _): titles[id] = nil
                default: continue
                }
            }
            token = page.next
            if !page.more { isComplete = true }
        }
    }
}

/// Brings the titles up to date, and saves them, with their token, after each step.
func follow(
    _ titles: inout Titles, on backend: BackendService, save: (Titles) throws -> Void
) async throws {
    for try await step in backend.changes(since: titles.token, matching: Titles.filter) {
        titles.apply(step)
        try save(titles)
    }
}
