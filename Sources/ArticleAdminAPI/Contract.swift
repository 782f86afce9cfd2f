public import ArticleAPI

/// All requests of the contract: the router serves them, the documentation lists them, and tests
/// iterate over them.
///
/// ```swift
/// let lines = Contract.requests.map { "\($0.endpoint.method) \($0.endpoint.template)" }
/// ```
public enum Contract {
    public static let requests: [any BackendAPIRequest.Type] = [
        FetchArticlesRequest.self, CreateArticleRequest.self, FetchArticleRequest.self,
        ReplaceArticleRequest.self, UpdateArticleRequest.self, DeleteArticleRequest.self,
        FetchRevisionsRequest.self, FetchRevisionRequest.self, RestoreRevisionRequest.self,
        FetchDeletedArticlesRequest.self, PreviewRequest.self, FetchTagsRequest.self,
        FetchAuthorsRequest.self, FetchAuthorRequest.self, ReplaceAuthorRequest.self,
        FetchChangesRequest.self, StreamChangesRequest.self, SearchArticlesRequest.self,
        FetchCommentsRequest.self, CreateCommentRequest.self, FetchAllCommentsRequest.self,
        FetchCommentRequest.self, UpdateCommentRequest.self, DeleteCommentRequest.self,
        FetchBookmarksRequest.self, PutBookmarkRequest.self, DeleteBookmarkRequest.self,
        SignUpRequest.self, FetchUsersRequest.self, FetchUserRequest.self, UpdateUserRequest.self,
        DeleteUserRequest.self, CreateInvitationRequest.self,
        SignInRequest.self, RefreshSessionRequest.self, SignOutRequest.self,
        FetchMeRequest.self, UpdateMeRequest.self, DeleteMeRequest.self,
        ChangePasswordRequest.self, ExportAccountRequest.self,
        FetchSessionsRequest.self, EndSessionRequest.self,
        FetchUserSessionsRequest.self, EndUserSessionRequest.self,
        FetchAtomFeedRequest.self, FetchRSSFeedRequest.self, FetchJSONFeedRequest.self,
        FetchSourcesRequest.self, CreateSourceRequest.self, FetchSourceRequest.self,
        UpdateSourceRequest.self, DeleteSourceRequest.self, PollSourceRequest.self,
        FetchDescriptionRequest.self,
    ]
}
