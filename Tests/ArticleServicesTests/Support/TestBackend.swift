import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleConnectors
@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// A backend on a socket with a key of every kind and a clock that the test sets.
struct TestBackend: Sendable {
    /// 2027-01-15T08:00:00Z: when it opens.
    static let opening = Timestamp(milliseconds: 1_800_000_000_000)

    let backend: Backend
    let keys: TestKeys
    let folder: TemporaryFolder
    let throttle: SignInThrottle
    private let server: HTTPServer
    private let client: TestClient
    var address: SocketAddress { client.address }
    let clock: ManualClock
    private let lines: Lock<[String]>

    /// Shared, as each renderer starts processes of its own.
    static let renderers = MarkdownRenderers(system: .real)

    /// Runs the server during the body, which may block.
    ///
    /// - Parameters:
    ///   - cast: whether to create the articles of `Samples`.
    ///   - storeConfiguration: the limits of the store.
    ///   - streamLimits: how many change streams may be open.
    ///   - signUp: who may create an account.
    ///   - throttleEntries: how much is remembered of failed attempts to sign in.
    ///   - hasher: hashes passwords; `nil` for two at a time.
    ///   - indexes: whether articles are indexed for the search.
    ///   - sources: which addresses sources may have.
    ///   - sleepsByClock: whether services sleep until the clock is advanced.
    static func run(
        samples: Bool = true, storeConfiguration: SQLiteConfiguration = SQLiteConfiguration(),
        streamLimits: ChangeStreamLimits = ChangeStreamLimits(),
        signUp: AccountConfiguration.SignUp = .open,
        throttleEntries: Int = 65_536, hasher: PasswordHasher? = nil, indexes: Bool = true,
        sources: SourcePolicy = SourcePolicy(), sleepsByClock: Bool = false,
        _ body: (TestBackend) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(
            folder.file("store.db"), configuration: storeConfiguration)
        let keys = TestKeys(at: opening)
        for record in keys.records { try await store.createKey(record) }
        _ = try await store.revokeKey(keys.revokedID, at: opening)
        let clock = ManualClock(at: opening)
        let lines = Lock([String]())
        let throttle = SignInThrottle(entries: throttleEntries, system: clock.system)
        let backend = try await Backend(
            store: store, file: store,
            operatorKey: keys.texts[.operator].flatMap { OperatorKey($0) }, renderers: renderers,
            streamLimits: streamLimits,
            accounts: AccountConfiguration(
                signUp: signUp,
                hasher: try hasher ?? PasswordHasher(width: 2, depth: 64, cost: .least),
                throttle: throttle),
            sourcePolicy: sources,
            system: sleepsByClock ? clock.system : clock.wakefulSystem,
            log: { line in lines.withLock { $0.append(line) } })
        let configuration = ServerConfiguration.local { configuration in
            configuration.rejections = { Problem.response($0) }
            // Tests name the addresses of clients by `X-Forwarded-For`.
            _ = configuration.trustedProxies.add("127.0.0.1")
        }
        try await backend.run(with: configuration) { test in
            async let _: Void = backend.streams.run()
            async let _: Void? = indexes ? backend.indexer.run() : nil
            let server = TestBackend(
                backend: backend, keys: keys, folder: folder, throttle: throttle,
                server: test.server, client: test.client, clock: clock, lines: lines)
            if samples { try Samples.create(server) }
            try await body(server)
        }
        await store.close()
        #expect(lines.withLock { $0 } == [], "no unexpected log lines")
    }

    /// The time of the clock.
    var now: Timestamp { clock.now }

    /// Advances the clock.
    func pass(milliseconds: Int64) { clock.advance(milliseconds: milliseconds) }

    /// Publishes the scheduled articles that are due by the clock.
    func publishDueArticles() async { await backend.publisher.publishDueArticles() }

    /// The log lines since the last call.
    func takeLog() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// The number of changes so far.
    func changes() async throws -> Int64 { try await backend.store.changeSequence() }

    /// Sends `"<method> <target>"` with a sender's key and optional JSON, and checks what must hold
    /// for all responses.
    @discardableResult
    func send(
        _ line: String, as sender: Sender = .anonymous, _ json: String? = nil,
        with fields: HTTPFields = HTTPFields()
    ) throws -> BackendResponse {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, let method = HTTPMethod(words[0]) else {
            throw TestFailure("\"\(line)\" is not a method and a target")
        }
        var all = self.fields(fields, of: sender)
        if json != nil, !fields.contains(.contentType) {
            let isPatch = method == .patch
            all.append(
                .contentType, isPatch ? "application/merge-patch+json" : "application/json")
        }
        let received = try client.send(
            method, words[1], fields: all, body: Array((json ?? "").utf8))
        let response = BackendResponse(received)
        response.check(line, method, secrets: Array(keys.texts.values) + [folder.path])
        return response
    }

    private func fields(_ fields: HTTPFields, of sender: Sender) -> HTTPFields {
        var all = fields
        if let key = keys.texts[sender] { all.append(.authorization, "Bearer \(key)") }
        return all
    }

    /// Opens a change stream.
    func stream(
        _ query: String = "", as sender: Sender = .anonymous,
        _ fields: HTTPFields = HTTPFields()
    ) throws -> EventStreamClient {
        let lines = self.fields(fields, of: sender).all.map { "\($0.name): \($0.value)\r\n" }
        let stream = try EventStreamClient(
            address, "/v1/changes/stream\(query)", fields: lines.joined())
        try #require(stream.head.status == .ok)
        return stream
    }

    /// Revokes a sender's key.
    func revoke(_ sender: Sender) throws {
        let record = try #require(keys.records.first { $0.name == "\(sender)'s key" })
        let revoked = try send("POST /v1/admin/keys/\(record.id)/revocation", as: .operator)
        #expect(revoked.status < 300)
    }

    /// Stops the server: requests in flight may finish.
    func stop() async { await server.stop(graceSeconds: Double(Patience.seconds)) }

    /// The representation of the target for editors.
    func article(_ target: String) throws -> Article {
        let response = try send("GET /v1/articles/\(target)", as: .editor)
        return try Article(mapping: response.body)
    }
}
