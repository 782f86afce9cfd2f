/// Every request of the contract: what the router serves, documentation lists and tests run
/// through.
public enum Contract {
    public static let requests: [any BackendAPIRequest.Type] = [
        FetchArticlesRequest.self, CreateArticleRequest.self, FetchArticleRequest.self,
        ReplaceArticleRequest.self, UpdateArticleRequest.self, DeleteArticleRequest.self,
        FetchRevisionsRequest.self, FetchRevisionRequest.self, RestoreRevisionRequest.self,
        FetchTagsRequest.self,
        FetchAuthorsRequest.self, FetchAuthorRequest.self, ReplaceAuthorRequest.self,
    ]
}
