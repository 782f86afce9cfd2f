import ArticleAPI
import ArticleStore
import HTTP
import HTTPServer
import Platform

/// The estimated cost of a request.
struct RequestCost: Sendable, Hashable {
    /// Tokens of its sender's rate limit; at least 1.
    var tokens = 1
    /// True if it is likely to take milliseconds or more.
    var isHeavy = false
    /// The likely maximum memory in bytes for creating its response.
    var bytes = 256 << 10

    /// Requests that read, write or hash more bytes than this leave the event loop.
    static let largeBytes = 64 << 10
    /// The cost of a write with a large body or a large response.
    static let largeWrite = RequestCost(isHeavy: true, bytes: 2 << 20)
}

/// A request that may cost more than others.
protocol CostlyRequest: BackendAPIRequest {
    var cost: RequestCost { get }
}

extension FetchArticlesRequest: CostlyRequest {
    /// Counting examines at most 30,000 index rows, a page at most 10,000; bodies make a page up to
    /// 4 MiB.
    var cost: RequestCost {
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
    var cost: RequestCost { FetchArticlesRequest(query).cost }
}

extension SearchArticlesRequest: CostlyRequest {
    /// It examines all that its words are in, and reads the texts of at most 200 articles.
    var cost: RequestCost {
        RequestCost(
            tokens: 2 + ((limit ?? 20) + 9) / 10, isHeavy: true, bytes: ArticleLimits.pageBytes)
    }
}

extension FetchCommentsRequest: CostlyRequest {
    var cost: RequestCost { .comments(limit, fields) }
}

extension FetchAllCommentsRequest: CostlyRequest {
    var cost: RequestCost { .comments(limit, fields) }
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
    var cost: RequestCost {
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
    var cost: RequestCost { RequestCost(tokens: 50, isHeavy: true) }
}

/// Runs requests off the event loops: in a turn on the store's threads, which reads, encodes and
/// hashes in one go.
struct Turns: Sendable {
    let workers: WorkerPool

    /// Does the work in a turn of the caller, and reserves memory for the response until it is
    /// sent.
    func take<Result>(
        _ cost: RequestCost, for caller: Principal, _ context: RequestContext,
        _ work: (WorkerTurn) async throws(ServiceError) -> Result
    ) async throws(ServiceError) -> Result {
        try Self.charge(cost, context)
        return try await take(cost, of: Self.client(caller, context)) {
            (turn) throws(ServiceError) in
            context.scope?.hold(turn)
            return try await work(turn)
        }
    }

    /// Does the work in a turn of the client. The memory is reserved until the turn is released.
    func take<Result>(
        _ cost: RequestCost, of client: WorkerPool.Client,
        _ work: (WorkerTurn) async throws(ServiceError) -> Result
    ) async throws(ServiceError) -> Result {
        let turn: WorkerTurn
        do throws(WorkerPool.Full) {
            turn = try workers.turn(
                for: WorkerPool.Demand(client, isHeavy: cost.isHeavy, bytes: cost.bytes))
        } catch { throw .busy }
        return try await withTaskExecutorPreference(turn) { () async throws(ServiceError) in
            // A client that waited too long has already been sent a response.
            guard !turn.isRejected, !Task.isCancelled else { throw .busy }
            return try await work(turn)
        }
    }

    /// Charges the sender's rate limit with the cost of the request beyond that of others.
    static func charge(_ cost: RequestCost, _ context: RequestContext) throws(ServiceError) {
        if let seconds = context.scope?.charge(cost.tokens - 1) {
            throw .overLimit(tokens: cost.tokens, retryAfterSeconds: seconds)
        }
    }

    static func client(_ caller: Principal, _ context: RequestContext) -> WorkerPool.Client {
        switch caller.kind {
        case .anonymous: .init(.anonymous, number: context.clientNumber)
        case .key, .session, .operatorKey, .operatorSession:
            .init(.keyed, number: UInt64(UInt(bitPattern: caller.account.hashValue)))
        case .controlSocket: .init(.house)
        }
    }
}

extension WorkerTurn {
    /// Reduces the reservation to the response's size, until it is sent.
    func settle(_ response: HTTPResponse) {
        guard case .bytes(let bytes) = response.body else { return settle(bytes: 0) }
        settle(bytes: bytes.count)
    }
}
