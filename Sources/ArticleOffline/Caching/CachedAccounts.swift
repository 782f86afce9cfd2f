public import ArticleAPI

// Tags, and the data of an account. Sessions, whose responses have tokens, are not kept.

extension FetchTagsRequest: CacheableRequest {}

// MARK: - Users

extension FetchMeRequest: CacheableRequest {}

extension UpdateMeRequest: CacheableRequest {}

extension FetchUserRequest: ModelRequest {
    public var modelID: User.ID { id }
}

// MARK: - Bookmarks

extension FetchBookmarksRequest: CacheableRequest {}

extension PutBookmarkRequest: CacheableRequest {}

extension DeleteBookmarkRequest: ModelRequest {
    public typealias Model = Bookmark
    public var modelID: Article.ID { articleID }
}
