package import ArticleAPI
package import ArticleAdminAPI
import ArticleStore

/// A request whose articles are filtered.
package protocol FilteredRequest: BackendAPIRequest {
    var tags: [String] { get }
    var author: Author.ID? { get }
    var language: String? { get }
    var status: Article.Status? { get }
    var source: String? { get }
    var publishedAfter: Timestamp? { get }
    var publishedBefore: Timestamp? { get }
}

extension FetchArticlesRequest: FilteredRequest {}
extension FetchChangesRequest: FilteredRequest {}

extension ArticleFilter {
    package init(_ request: some FilteredRequest) {
        self.init()
        tags = request.tags.map { ArticleTag(named: $0).key }
        author = request.author
        language = request.language
        status = request.status
        source = request.source
        publishedAfter = request.publishedAfter
        publishedBefore = request.publishedBefore
    }
}

extension FetchArticlesRequest {
    /// The list that a feed shows.
    package init(_ query: FeedQuery) {
        self.init(
            limit: query.limit, cursor: query.cursor, tags: query.tags, author: query.author,
            language: query.language, source: query.source,
            publishedAfter: query.publishedAfter, publishedBefore: query.publishedBefore,
            fields: FieldSelection(["body", "bodyHTML"]))
    }

    /// The feed of this list; `nil` if feeds cannot have its articles: those with a status that is
    /// not public.
    package var feed: FetchAtomFeedRequest? {
        guard status == nil || status == .published else { return nil }
        return FetchAtomFeedRequest(
            FeedQuery(
                tags: tags, author: author, language: language, source: source,
                publishedAfter: publishedAfter, publishedBefore: publishedBefore))
    }
}

/// A read whose response may contain content that only this user sees, besides public content.
package protocol PersonalRequest: BackendAPIRequest {
    /// True if this request's response may; `true` by default.
    var isPersonal: Bool { get }

    /// True if the caller must have an account; `false` by default.
    var requiresUser: Bool { get }
}

extension PersonalRequest {
    package var isPersonal: Bool { true }
    package var requiresUser: Bool { false }
}

extension BackendAPIRequest {
    /// True if the response may contain content that only its sender sees.
    package var isForUser: Bool { (self as? any PersonalRequest)?.isPersonal ?? false }

    /// True if a caller without a user gets another response than an anonymous one.
    package var needsUser: Bool { (self as? any PersonalRequest)?.requiresUser ?? false }
}
