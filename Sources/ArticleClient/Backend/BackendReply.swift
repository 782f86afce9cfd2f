public import ArticleAPI
public import BroadsheetHTTP

/// An item with metadata of the response from which it was decoded.
///
/// The metadata belongs to the response that the item came from, even if that is a cached copy.
///
/// ```swift
/// let options = RequestOptions(freshness: .orCached(after: .seconds(3)))
/// let reply = try await backend.reply(to: FetchTagsRequest(), options: options)
/// let isOffline = reply.staleReason != nil
/// ```
public struct BackendReply<Item: Sendable>: Sendable {
    /// The origin of the response.
    public enum Source: Sendable, Hashable {
        /// The backend sent it.
        case network
        /// The backend confirmed that the cached copy is current (304).
        case revalidated
        /// The cached copy was used; the backend was not asked or could not be reached.
        case cached
    }

    public let item: Item
    public let source: Source
    /// The time since the backend sent or confirmed the response.
    public let age: Duration
    /// The reason why a copy was used although the backend was asked: an error, or `timedOut` if
    /// the response took too long (`RequestOptions.Freshness.orCached`); otherwise `nil`.
    public internal(set) var staleReason: BackendError?
    public let status: HTTPStatus
    public let fields: HTTPFields

    package init(
        item: Item, source: Source, age: Duration, staleReason: BackendError? = nil,
        status: HTTPStatus, fields: HTTPFields
    ) {
        self.item = item
        self.source = source
        self.age = age
        self.staleReason = staleReason
        self.status = status
        self.fields = fields
    }

    /// The entity tag, which a later write can use as its precondition (`If-Match`).
    public var etag: EntityTag? { fields[.etag].flatMap { EntityTag($0) } }
}

extension BackendReply {
    /// A reply from a store of models instead of a response.
    package init(cached item: Item, age: Duration) {
        self.init(item: item, source: .cached, age: age, status: .ok, fields: HTTPFields())
    }
}

extension BackendReply {
    /// The same reply, which is used because of an error.
    func stale(because reason: BackendError) -> Self {
        var reply = self
        reply.staleReason = reason
        return reply
    }
}

extension BackendReply: Equatable where Item: Equatable {}

/// A response before it is decoded.
struct CallResponse: Sendable {
    let status: HTTPStatus
    let fields: HTTPFields
    let bytes: [UInt8]
    var isRevalidated = false
    var isCached = false
    var staleReason: BackendError?
    var age = Duration.zero
    /// The copy that the response has replaced in the cache.
    var replaced: ReplacedCopy?

    /// A reference to a copy: few responses replace one, and each is passed on several times.
    final class ReplacedCopy: Sendable {
        let copy: CachedResponse
        init(_ copy: CachedResponse) { self.copy = copy }
    }

    init(_ response: HTTPResponse) {
        status = response.status
        fields = response.fields
        if case .bytes(let bytes) = response.body { self.bytes = bytes } else { bytes = [] }
        age = CachedResponse.age(fields)
    }

    init(_ copy: CachedResponse, isRevalidated: Bool, now: Duration) {
        status = .ok
        fields = copy.fields
        bytes = copy.bytes
        self.isRevalidated = isRevalidated
        isCached = !isRevalidated
        age = copy.age(now: now)
    }

    func reply<Item>(_ item: Item) -> BackendReply<Item> {
        BackendReply(
            item: item, source: isCached ? .cached : isRevalidated ? .revalidated : .network,
            age: age, staleReason: staleReason, status: status, fields: fields)
    }
}

/// The cached copy of an item at once, and then the reply of the backend.
///
/// ```swift
/// let request = FetchArticleRequest(key: .slug("your-first-request"))
/// for try await reply in backend.replies(to: request) {
///     print("\(reply.item.title) (\(reply.source))")
/// }
/// ```
///
/// The sequence has one or two replies. If the request to the backend fails, it throws the error
/// after the copy. Leaving the loop or cancelling its task cancels the request. A value; iterate on
/// any actor.
public struct BackendReplies<Request: BackendAPIRequest>: AsyncSequence, Sendable {
    public typealias Element = BackendReply<Request.Item>
    public typealias Failure = BackendError

    fileprivate let service: BackendService
    fileprivate let request: Request
    fileprivate let options: RequestOptions

    public func makeAsyncIterator() -> Iterator { Iterator(replies: self) }

    public struct Iterator: AsyncIteratorProtocol {
        private enum Next {
            case copy
            case reply
            case nothing
        }

        fileprivate let replies: BackendReplies
        private var next = Next.copy

        fileprivate init(replies: BackendReplies) { self.replies = replies }

        public mutating func next() async throws(BackendError) -> BackendReply<Request.Item>? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> BackendReply<Request.Item>? {
            var options = replies.options
            if next == .copy, !Request.endpoint.method.isSafe { next = .reply }
            if next == .copy {
                next = .reply
                options.freshness = .cached
                do throws(BackendError) {
                    return try await replies.service.reply(to: replies.request, options: options)
                } catch {
                    // Without a readable copy, the backend is asked.
                    if error.isStopped { throw error }
                }
            }
            guard next == .reply else { return nil }
            next = .nothing
            options.freshness =
                replies.options.freshness == .cached
                ? .revalidated : replies.options.freshness
            return try await replies.service.reply(to: replies.request, options: options)
        }
    }
}

extension BackendService {
    /// The cached copy of a response at once, if there is one, and then the backend's reply.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: for the second reply; the first never uses the network.
    public func replies<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions = .init()
    ) -> BackendReplies<Request> {
        BackendReplies(service: self, request: request, options: options)
    }
}

/// Work that is replaced by a copy if it fails or takes too long, and copies that come back.
extension BackendService {
    /// The outcome of the work, or a substitute if it fails with an error that `allowsStale`, or
    /// has not ended after a wait. Then the work continues without its caller. Without a
    /// substitute, the caller waits for the work.
    ///
    /// - Parameters:
    ///   - wait: the time from now.
    ///   - work: is cancelled with its caller.
    ///   - substitute: receives the error of the work, or `timedOut` after the wait.
    func outcome<Value: Sendable>(
        after wait: Duration, of work: @escaping @Sendable () async -> Result<Value, BackendError>,
        orElse substitute: (BackendError) async -> Value?
    ) async -> Result<Value, BackendError> {
        let task = SharedTask<Value>(outlivesWaiters: true)
        task.start(work)
        let limit = WaitLimit(
            auth, Session.anonymous.id, for: wait, from: environment.now(), by: environment.now)
        let outcome = await Self.outcome(of: task, within: limit)
        guard case .failure(let error) = outcome, error.allowsStale else { return outcome }
        if let value = await substitute(error) { return .success(value) }
        return await Self.outcome(of: task, within: nil)
    }

    private static func outcome<Value: Sendable>(
        of task: SharedTask<Value>, within limit: WaitLimit?
    ) async -> Result<Value, BackendError> {
        let outcome = await task.join(limit) ?? .failure(.cancelled)
        if case .failure(.cancelled) = outcome { task.end(outcome) }
        return outcome
    }

    /// Puts back the copy that a response has replaced.
    ///
    /// - Returns: the copy; `nil` if there was none.
    func restoreCopy(
        insteadOf received: CallResponse, _ call: Call
    ) -> CachedResponse? {
        guard let cache, call.request.method == .get else { return nil }
        let key = CacheKey(call.request, to: call.origin, by: call.session.owner)
        let copy = received.replaced?.copy
        auth.whileValid(call.session) { cache.restore(copy, insteadOf: received.bytes, for: key) }
        return copy
    }
}

/// The mappers of a service, one for each type of item: some take longer to make than to use.
final class ResponseMapperCache: Sendable {
    /// Bounded by the number of item types.
    private let kept = Locked([ObjectIdentifier: any AnyObject & Sendable]())

    func mapper<Item: ResponseItem>(for _: Item.Type) -> MapperBox<Item> {
        let type = ObjectIdentifier(Item.self)
        let found = kept.withLock { $0[type] }
        if let found = found as? MapperBox<Item> { return found }
        let new = MapperBox<Item>()
        kept.withLock { $0[type] = new }
        return new
    }
}

/// A mapper that is passed on without being copied.
final class MapperBox<Item: ResponseItem>: Sendable {
    private let mapper: ResponseMapper<Item>
    let accept: HTTPFields
    let mediaType: String?

    init() {
        mapper = ResponseMapper()
        accept = mapper.accept
        mediaType = Item.encoding.mediaType
    }

    func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> Item { try mapper.map(bytes) }

    func leftOut(of item: Item) -> [ResponseMapperError] { mapper.leftOut(of: item) }
}
