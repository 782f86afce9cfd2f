import BroadsheetKit

/// An article with its body as HTML, for a web view.
func readHTML(_ slug: String, on backend: BackendService) async throws(BackendError) -> Article {
    try await backend.send(FetchArticleRequest(key: .slug(slug), including: .bodyHTML))
}

/// Only what a menu shows.
func menu(on backend: BackendService) async throws(BackendError) -> [PartialArticle] {
    let request = PartialRequest(
        FetchArticlesRequest(limit: 10), fields: [.title, .heroImage, .authors(.name)])
    return try await backend.send(request).items
}

/// The filter of a mirror for screens that show HTML and numbers of comments.
let mirroredChanges = FetchChangesRequest(
    fields: .articles(including: .body, .bodyHTML, .commentCount))
