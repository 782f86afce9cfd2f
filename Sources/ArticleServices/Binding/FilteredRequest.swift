import ArticleAPI
import ArticleStore

/// A request whose articles are filtered.
protocol FilteredRequest: BackendAPIRequest {
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
    init(_ request: some FilteredRequest) {
        self.init()
        tags = request.tags.map { Tag(named: $0).key }
        author = request.author
        language = request.language
        status = request.status
        source = request.source
        publishedAfter = request.publishedAfter
        publishedBefore = request.publishedBefore
    }
}
