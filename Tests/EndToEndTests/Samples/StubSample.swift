import ArticleAPI
import ArticleClient

/// The sample of `BackendService.stub`, in a file that imports no other module with a `ArticleTag`.
func stubbedTags() async throws -> (Page<ArticleTag.Usage>, [Int?]) {
    let backend = BackendService.stub { routes in
        routes.on(FetchTagsRequest.self) { _ in
            Page(items: [ArticleTag.Usage(tag: ArticleTag(named: "Swift"), articleCount: 3)])
        }
        routes.on(DeleteArticleRequest.self) { _ in throw Problem(.forbidden) }
    }
    let tags = try await backend.send(FetchTagsRequest(limit: 5))
    let limits = backend.received(FetchTagsRequest.self).map(\.limit)
    return (tags, limits)
}
