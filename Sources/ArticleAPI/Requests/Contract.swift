/// All requests of the contract: the router serves them, the documentation lists them, and tests
/// iterate over them.
public enum Contract {
    public static let requests: [any BackendAPIRequest.Type] = [
        FetchArticlesRequest.self, CreateArticleRequest.self, FetchArticleRequest.self,
        ReplaceArticleRequest.self, UpdateArticleRequest.self, DeleteArticleRequest.self,
        FetchRevisionsRequest.self, FetchRevisionRequest.self, RestoreRevisionRequest.self,
        FetchTagsRequest.self,
        FetchAuthorsRequest.self, FetchAuthorRequest.self, ReplaceAuthorRequest.self,
    ]
}
