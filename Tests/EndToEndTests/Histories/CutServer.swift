import ArticleAPI
import ArticleAccounts
import ArticleClient
import ArticleDatabase
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

/// A server in this process whose database is set back, and whose network can fail.
final class CutServer: Sendable {
    static let key = "operator-0123456789-0123456789-0123456789"

    let clock = CutClock()
    let database: CutDatabase
    private let renderers = MarkdownRenderers(system: .real)
    private struct State {
        var running: (backend: Backend, router: HTTPRouter)?
        /// The requests until the network fails; `nil` for no failure.
        var rest: Int?
        var resets = 0
        var executed: [String: Int] = [:]
    }
    private let state = Lock(State())

    init(_ database: CutDatabase) { self.database = database }

    /// Serves the database during the body.
    ///
    /// - Parameter awaitsNotice: whether to wait until the store says that it was set back.
    func run(
        awaitsNotice: Bool = false, _ body: (Backend) async throws -> Void
    ) async throws {
        let store = try database.open()
        do {
            if awaitsNotice {
                let isNoted = Signal()
                store.notices.receive { _ in isNoted.give() }
                await isNoted.wait()
            }
            let backend = try await Backend(
                store: store, file: store, operatorKey: OperatorKey(Self.key),
                renderers: renderers, system: .clock { [clock] in clock.time }, log: { _ in })
            let router = try backend.router()
            state.withLock { $0.running = (backend, router) }
            try await body(backend)
        } catch {
            await store.close()
            throw error
        }
        state.withLock { $0.running = nil }
        await store.close()
    }

    /// Calls the body with the backend that serves.
    func whileServing(_ body: (Backend) async throws -> Void) async throws {
        try await body(try #require(state.withLock { $0.running?.backend }))
    }

    // MARK: Network

    /// Lets the network fail after so many requests of followers: of the last one, the response is
    /// lost.
    func fail(after count: Int?) { state.withLock { $0.rest = count } }

    var isOffline: Bool { state.withLock { $0.rest == 0 } }

    /// Returns true if a message to a follower is confirmed.
    func confirms() -> Bool {
        state.withLock { state in
            defer { state.rest = state.rest.map { max(0, $0 - 1) } }
            return state.rest.map { $0 > 1 } ?? true
        }
    }

    /// The number of times that a client was told to begin again.
    var resets: Int { state.withLock { $0.resets } }

    /// The response to a follower.
    func respond(to request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let (running, rest) = state.withLock { state in
            defer { state.rest = state.rest.map { max(0, $0 - 1) } }
            return (state.running, state.rest)
        }
        guard let running, rest != 0 else { throw .offline("the network has failed") }
        let before = await Self.sequence(of: running.backend)
        let response = await running.router.respond(to: request)
        if response.status == .gone { state.withLock { $0.resets += 1 } }
        if request.fields.contains(.idempotencyKey), request.method != .delete,
            await Self.sequence(of: running.backend) != before
        {
            let write = String(decoding: request.body, as: UTF8.self)
            state.withLock { $0.executed[write, default: 0] += 1 }
        }
        if rest == 1 {
            throw .failed(TransportFailure(.disconnected, "the response was lost"))
        }
        return response
    }

    private static func sequence(of backend: Backend) async -> Int64? {
        try? await backend.store.changeSequence()
    }

    /// The numbers of times that writes with a key were carried out in the present history.
    var executed: [String: Int] {
        get { state.withLock { $0.executed } }
        set { state.withLock { $0.executed = newValue } }
    }

    func service(as account: String? = nil) throws -> BackendService {
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .seconds(Patience.seconds)
        configuration.retries = .none
        let credentials = account.map { Credentials(token: Self.key, account: $0) }
        return BackendService(
            configuration: configuration,
            transport: InProcessTransport(environment: clock.environment) { request, _ in
                try await self.respond(to: request)
            },
            auth: try BackendAuth(store: MemoryCredentialStore(credentials), refresh: nil),
            cache: nil, environment: clock.environment)
    }

    // MARK: Without the network

    /// Sends `"<method> <target>"` and JSON as an editor, or as anybody.
    @discardableResult
    func send(
        _ line: String, _ json: String? = nil, isAnonymous: Bool = false,
        with fields: HTTPFields = HTTPFields()
    ) async throws -> (status: HTTPStatus, fields: HTTPFields, body: [UInt8]) {
        let words = line.split(separator: " ").map(String.init)
        let method = try #require(HTTPMethod(words[0]))
        let router = try #require(state.withLock { $0.running?.router })
        let path = words[1].split(separator: "?", maxSplits: 1).map(String.init)
        let target = try #require(
            RequestTarget(path: path[0], query: path.count > 1 ? path[1] : nil))
        var fields = fields
        if !isAnonymous { fields.append(.authorization, "Bearer \(Self.key)") }
        if json != nil {
            fields.append(
                .contentType,
                method == .patch ? "application/merge-patch+json" : "application/json")
        }
        if method != .get { clock.pass(seconds: 1) }
        let response = await router.respond(
            to: HTTPRequest(method, target, fields: fields, body: Array((json ?? "").utf8)))
        var body: [UInt8] = []
        switch response.body {
        case .bytes(let bytes): body = bytes
        case .stream(let stream): while let piece = try await stream.next() { body += piece }
        case .none: break
        }
        return (response.status, response.fields, body)
    }

    /// All articles that a client sees.
    func articles(
        isAnonymous: Bool = true, fields: [String] = []
    ) async throws -> [Article] {
        let selection = fields.isEmpty ? "" : "&fields=" + fields.joined(separator: ",")
        let listed = try await send(
            "GET /v1/articles?limit=100\(selection)", isAnonymous: isAnonymous)
        let page = try Page<Article>(mapping: listed.body)
        try #require(page.next == nil)
        return page.items
    }
}

/// A clock that passes when somebody sleeps by it, which takes no time.
final class CutClock: Sendable {
    private let milliseconds = Lock<Int64>(1_800_000_000_000)
    private let ticks = Counter()

    var time: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func pass(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }

    var environment: ClientEnvironment {
        ClientEnvironment(
            now: { [ticks] in .milliseconds(ticks.next()) },
            wallSeconds: { [self] in milliseconds.withLock { $0 / 1_000 } },
            sleep: { [self] duration in
                try Task.checkCancellation()
                await Task.yield()
                pass(seconds: duration.components.seconds)
            },
            random: { $0 / 2 })
    }
}
