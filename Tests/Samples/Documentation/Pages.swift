import BroadsheetKit

/// The titles of all articles with a tag, page after page.
func allTitles(on backend: BackendService) async throws(BackendError) -> [String] {
    var titles: [String] = []
    for try await page in backend.pages(of: FetchArticlesRequest(tag: "writing", limit: 2)) {
        titles += page.items.map(\.title)
    }
    return titles
}
