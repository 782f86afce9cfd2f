import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleClient

/// The requests of a user who leaves in the middle: none goes out as another user's, is kept, or is
/// given to anyone.
@Suite struct SessionMatrixTests {
    /// The state of alice's request when her session ends.
    enum Moment: CaseIterable {
        case rejected, waitingForRetry, renewing, redirected, coalesced, queued
    }

    enum Change: CaseIterable {
        case signOut, signInAsBob

        var token: String? { self == .signOut ? nil : "bob" }

        func make(to auth: BackendAuth) throws {
            switch self {
            case .signOut: try auth.signOut()
            case .signInAsBob: try auth.signIn(Credentials(token: "bob", account: "b"))
            }
        }
    }

    /// An engine that does not heed cancellation: what is sent is up to the service alone.
    private struct UncancellableTransport: Transport {
        let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse

        func exchange(
            _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
        ) async throws(TransportError) -> HTTPResponse {
            do { return try await respond(request) } catch {
                throw .failed(TransportFailure(.malformed, "\(error)"))
            }
        }
    }

    /// A backend that ends alice's session while her first request is at that moment.
    private final class Backend: Sendable {
        let sent = Lock([HTTPRequest]())
        let store = MemoryCredentialStore(Credentials(token: "alice", account: "a"))
        let cache = ResponseCache()
        let auth: BackendAuth
        let arrivals = Counter()
        let goOn = Signal()
        let isDone = Signal()

        init(_ moment: Moment, _ change: Change) throws {
            self.moment = moment
            self.change = change
            let known = Lock<BackendAuth?>(nil)
            auth = try BackendAuth(store: store) { _, _ in
                if let auth = known.withLock({ $0 }) { try change.make(to: auth) }
                return Credentials(token: "alice2", account: "a")
            }
            let auth = auth
            known.withLock { $0 = auth }
        }

        private let moment: Moment
        private let change: Change

        var tokens: [String?] { sent.withLock { $0.map { $0.fields[.authorization] } } }

        func service(_ time: TestTime) -> BackendService {
            BackendService(
                configuration: BackendConfiguration(baseURL: "http://localhost"),
                transport: UncancellableTransport { [self] in try await respond(to: $0) },
                auth: auth,
                cache: cache, environment: time.environment)
        }

        private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            let isFirst = sent.withLock { sent in
                sent.append(request)
                return sent.count == 1
            }
            let field = request.fields[.authorization]
            let token = field.map { String($0.dropFirst("Bearer ".count)) }
            let usual = page(token ?? "nobody", fields: [.cacheControl: "max-age=60"])
            guard isFirst, moment != .queued else { return usual }
            if moment == .coalesced {
                arrivals.next()
                await goOn.wait()
            }
            if moment != .renewing { try change.make(to: auth) }
            defer { isDone.give() }
            return switch moment {
            case .rejected, .renewing: rejection(.unauthenticated)
            case .waitingForRetry: rejection(.unavailable)
            case .redirected:
                HTTPResponse(.temporaryRedirect, fields: [.location: "/v1/elsewhere"])
            case .coalesced, .queued: usual
            }
        }
    }

    @Test(arguments: Moment.allCases, Change.allCases)
    func `a read ends with its session`(moment: Moment, change: Change) async throws {
        try await check(moment, change, list, waiters: moment == .coalesced ? 3 : 1)
    }

    @Test(arguments: Moment.allCases.filter { $0 != .coalesced }, Change.allCases)
    func `a write ends with its session`(moment: Moment, change: Change) async throws {
        let create = CreateArticleRequest(
            article: Article.Draft(title: "alice's own"), idempotencyKey: "one")
        try await check(moment, change, create, waiters: 1)
    }

    private func check<Request: BackendAPIRequest>(
        _ moment: Moment, _ change: Change, _ request: Request, waiters: Int
    ) async throws {
        let backend = try Backend(moment, change)
        let service = backend.service(TestTime())
        let queue = NetworkQueue(width: waiters)
        if moment == .queued { queue.suspend() }
        let operations = (0..<waiters).map { _ in ServiceOperation(request, on: service) }
        for operation in operations { queue.add(operation) }
        if moment == .coalesced {
            #expect(await eventually { backend.arrivals.value == 1 })
            backend.goOn.give()
        }
        if moment == .queued {
            try change.make(to: backend.auth)
            queue.resume()
        }
        // Who got it: nobody.
        for operation in operations {
            let ended = await outcome { try await operation.value() }
            #expect(ended.error == .signedOut)
        }
        // What went out: one request, as alice.
        if moment != .queued { await backend.isDone.wait() }
        for _ in 0..<100 { await Task.yield() }
        #expect(backend.tokens == (moment == .queued ? [] : ["Bearer alice"]))
        // What was kept: nothing of hers.
        #expect(backend.cache.bytes == 0)
        #expect(backend.store.load()?.token == change.token)
        #expect(await eventually { service.calls.count == 0 })
        let reply = try await service.reply(to: list)
        #expect(reply.source == .network)
        #expect(reply.item.next == change.token ?? "nobody")
        let state: SessionState = change.token == nil ? .signedOut : .signedIn(account: "b")
        #expect(backend.auth.sessionState == state)
    }
}
