import BroadsheetKit

/// Shows the kept copy of an article at once, and then what the backend says.
func show(
    _ slug: String, on backend: BackendService, _ display: (Article) -> Void
) async throws(BackendError) {
    for try await reply in backend.replies(to: FetchArticleRequest(key: .slug(slug))) {
        display(reply.item)
    }
}

/// The copy alone: the network is not asked.
func copy(_ slug: String, of backend: BackendService) async throws(BackendError) -> Article {
    try await backend.send(
        FetchArticleRequest(key: .slug(slug)), options: RequestOptions(freshness: .cached))
}
