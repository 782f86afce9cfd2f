import BroadsheetKit

/// A backend for previews and tests: it answers requests by their types.
func stubbedBackend(_ tags: [ArticleTag.Usage]) -> BackendService {
    BackendService.stub { routes in
        routes.on(FetchTagsRequest.self) { _ in Page(items: tags) }
        routes.on(DeleteArticleRequest.self) { _ in throw Problem(.forbidden) }
    }
}

/// What a backend was asked.
func limits(askedOf backend: BackendService) -> [Int?] {
    backend.received(FetchTagsRequest.self).map(\.limit)
}
