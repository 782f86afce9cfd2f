import BroadsheetKit

/// One service for the whole app: it has the copies, the credentials and the connections.
let backend = BackendService(
    configuration: BackendConfiguration(baseURL: "https://articles.example.org"))

/// The titles of the newest articles with a tag.
func newestTitles(of backend: BackendService) async throws(BackendError) -> [String] {
    let page = try await backend.send(FetchArticlesRequest(tag: "swift", limit: 5))
    return page.items.map(\.title)
}
