import ArticleAPI
import ArticleClient
import Glibc

/// Requests that are sent one at a time, for those who look at each.
enum Steps {
    /// Sends a request with a new service for each line of the standard input, and prints the
    /// number of articles.
    static func run(_ base: BaseURL) async throws {
        while readLine() != nil {
            let service = BackendService(configuration: BackendConfiguration(baseURL: base))
            let page = try await service.send(FetchArticlesRequest(tag: "walked"))
            print(page.items.count)
            fflush(nil)
        }
    }
}
