package import ArticleAPI
package import ArticleAdminAPI
import ArticleStore

/// The estimated cost of a request.
package struct RequestCost: Sendable, Hashable {
    /// Tokens of its sender's rate limit; at least 1.
    package var tokens: Int
    /// True if it is likely to take milliseconds or more.
    var isHeavy: Bool
    /// The likely maximum memory in bytes for creating its response.
    package var bytes: Int

    package init(tokens: Int = 1, isHeavy: Bool = false, bytes: Int = 256 << 10) {
        self.tokens = tokens
        self.isHeavy = isHeavy
        self.bytes = bytes
    }

    /// The cost of a write with a large body or a large response.
    package static let largeWrite = RequestCost(isHeavy: true, bytes: 2 << 20)
}

/// A request that may cost more than others.
package protocol CostlyRequest: BackendAPIRequest {
    var cost: RequestCost { get }
}

extension FetchArticlesRequest: CostlyRequest {
    /// Counting examines at most 30,000 index rows, a page at most 10,000; bodies make a page up to
    /// 4 MiB.
    package var cost: RequestCost {
        var cost = RequestCost()
        if count != nil { cost.tokens += 49 }
        let facets =
            tags.count + [author != nil, language != nil, source != nil].count { $0 }
        let isByPublication = sort.map { $0 == .newestFirst || $0 == .oldestFirst } ?? true
        // An index covers only the rarest of several filters, and only in publication order.
        if facets > 1 || facets == 1 && !isByPublication { cost.tokens += 5 }
        if BodyHTML.needsBody(fields) {
            cost.tokens += ((limit ?? 20) + 4) / 5
            cost.bytes = ArticleLimits.pageBytes
        }
        cost.isHeavy = cost.tokens > 1
        return cost
    }
}

extension FetchAtomFeedRequest: CostlyRequest {}
extension FetchRSSFeedRequest: CostlyRequest {}
extension FetchJSONFeedRequest: CostlyRequest {}

extension CostlyRequest where Self: FeedRequest {
    /// That of the list with its bodies.
    package var cost: RequestCost { FetchArticlesRequest(query).cost }
}

extension SearchArticlesRequest: CostlyRequest {
    /// It examines all that its words are in, and reads the texts of at most 200 articles.
    package var cost: RequestCost {
        RequestCost(
            tokens: 2 + ((limit ?? 20) + 9) / 10, isHeavy: true, bytes: ArticleLimits.pageBytes)
    }
}

extension FetchCommentsRequest: CostlyRequest {
    package var cost: RequestCost { .comments(limit, fields) }
}

extension FetchAllCommentsRequest: CostlyRequest {
    package var cost: RequestCost { .comments(limit, fields) }
}

extension RequestCost {
    /// A page of comments, whose texts make it up to 4 MiB.
    fileprivate static func comments(_ limit: Int?, _ fields: FieldSelection?) -> RequestCost {
        var cost = RequestCost()
        let limit = limit ?? 20
        let hasHTML = BodyHTML.isAskedFor(by: fields)
        if hasHTML { cost.tokens += (limit + 4) / 5 }
        if hasHTML || fields?.contains("body") ?? true {
            let commentBytes = (hasHTML ? 104 : 40) << 10
            cost.bytes = max(cost.bytes, min(limit * commentBytes, ArticleLimits.pageBytes))
        }
        cost.isHeavy = cost.tokens > 1
        return cost
    }
}

extension FetchChangesRequest: CostlyRequest {
    /// A page examines at most 10,000 index rows; bodies make it up to 4 MiB.
    package var cost: RequestCost {
        var cost = RequestCost()
        let limit = limit ?? 100
        cost.tokens += limit / 100
        // No index covers a filter.
        if ArticleFilter(self) != ArticleFilter() { cost.tokens += 5 }
        if BodyHTML.needsBody(fields) {
            cost.tokens += (limit + 4) / 5
            cost.bytes = ArticleLimits.pageBytes
        }
        cost.isHeavy = cost.tokens > 2
        return cost
    }
}

extension ExportAccountRequest: CostlyRequest {
    /// It reads and writes all that is kept about a user, which may be thousands of comments.
    package var cost: RequestCost { RequestCost(tokens: 50, isHeavy: true) }
}
