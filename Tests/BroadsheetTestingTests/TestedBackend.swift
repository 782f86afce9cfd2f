import ArticleAPI
import ArticleClient
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import BroadsheetTesting
import Testing

@testable import ArticleAccounts
@testable import ArticleResources
@testable import ArticleServiceCore

/// A backend in memory or a real one, with a clock of its own. Scenarios use it by the SDK alone.
struct TestedBackend: Sendable {
    let clock: TickingClock
    /// Somebody who is not signed in.
    let reader: BackendService
    /// Somebody who is signed in with the role `editor`.
    let editor: BackendService
    /// Waits until a search finds everything.
    let index: @Sendable () async -> Void
    private let makeService: @Sendable () -> BackendService

    /// A service of another device, which is not signed in.
    func otherDevice() -> BackendService { makeService() }

    /// Runs a scenario with a backend in memory and with a real one, each of which is empty.
    ///
    /// - Returns: what the scenario has observed, which is the same with both.
    @discardableResult
    static func compare(
        _ scenario: (TestedBackend) async throws -> [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let memory = try await inMemory(scenario)
        let server = try await served(scenario)
        for (place, pair) in zip(memory, server).enumerated() where pair.0 != pair.1 {
            Issue.record(
                "\(place): in memory \(pair.0), on a server \(pair.1)",
                sourceLocation: sourceLocation)
        }
        #expect(memory.count == server.count, sourceLocation: sourceLocation)
        return memory
    }

    private static func inMemory(
        _ scenario: (TestedBackend) async throws -> [String]
    ) async throws -> [String] {
        let clock = TickingClock()
        let reader = BackendService.inMemory(.empty, environment: clock.environment)
        let editor = reader.otherDevice()
        try await editor.signIn(name: "mina", password: "correct horse")
        return try await scenario(
            TestedBackend(
                clock: clock, reader: reader, editor: editor, index: {},
                makeService: { reader.otherDevice() }))
    }

    private static func served(
        _ scenario: (TestedBackend) async throws -> [String]
    ) async throws -> [String] {
        let clock = TickingClock()
        let key = "operator-0123456789-0123456789-0123456789"
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(key), renderers: renderers,
            accounts: AccountConfiguration(
                signUp: .open, hasher: try PasswordHasher(width: 1, depth: 8, cost: cost)),
            system: .clock { clock.time }, log: { Issue.record("\($0)") })
        var observed: [String] = []
        try await TestServer.run(backend.router()) { test in
            async let _: Void = backend.streams.run()
            async let _: Void = backend.indexer.run()
            let url = try #require(BaseURL("http://\(test.address)"))
            @Sendable func service(_ token: String? = nil) -> BackendService {
                var configuration = BackendConfiguration(baseURL: url)
                configuration.timeout = .seconds(Patience.seconds)
                return BackendService(
                    configuration: configuration, transport: SocketTransport(),
                    auth: BackendAuth(token: token), environment: clock.environment)
            }
            try await service(key).send(
                SignUpRequest(
                    user: User.Draft(name: "mina", password: "correct horse", role: .editor)))
            let editor = service()
            try await editor.signIn(name: "mina", password: "correct horse")
            observed = try await scenario(
                TestedBackend(
                    clock: clock, reader: service(), editor: editor,
                    index: {
                        let isCurrent = await eventually { backend.indexer.isCurrent }
                        #expect(isCurrent)
                    }, makeService: { service() }))
        }
        await store.close()
        return observed
    }

    /// Cheap: what passwords cost is tested elsewhere.
    private static let cost = PasswordHash.Cost(passes: 1, memoryBytes: 8 << 10)

    /// Shared, as each renderer starts processes of its own.
    private static let renderers = MarkdownRenderers(system: .real)
}

/// A clock that goes on by a millisecond whenever it is read, and otherwise by the test.
final class TickingClock: Sendable {
    /// 2027-01-15T08:00:00Z, and the reads since then.
    private let milliseconds = Lock<Int64>(1_800_000_000_000)

    var time: Timestamp {
        let now = milliseconds.withLock { now in
            now += 1
            return now
        }
        return Timestamp(milliseconds: now)
    }

    func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }

    /// The wall clock of an app.
    var environment: ClientEnvironment {
        var environment = ClientEnvironment.system
        environment.wallSeconds = { [milliseconds] in milliseconds.withLock { $0 } / 1_000 }
        return environment
    }
}

/// What a scenario observes, as lines.
struct Observations {
    private(set) var lines: [String] = []

    mutating func add(_ line: String) { lines.append(line) }

    /// What the work returns, or why it fails: the problem's kind, its sentence and the faults.
    mutating func add<Value>(
        _ name: String, _ work: () async throws(BackendError) -> Value,
        as describe: (Value) -> String = { "\($0)" }
    ) async {
        do throws(BackendError) {
            lines.append("\(name): \(describe(try await work()))")
        } catch {
            guard let problem = error.problem else {
                lines.append("\(name): \(error)")
                return
            }
            let faults = problem.errors.map { "\($0)" }
            lines.append("\(name): \(problem.type), \(problem.detail ?? ""), \(faults)")
        }
    }
}

extension Article {
    /// Everything that does not depend on the clock or on ids that the backend makes.
    var facts: String {
        var comparable = self
        comparable.authors = authors.map { Author.Reference(named: $0.name) }
        (comparable.version, comparable.createdAt) = (nil, .sample())
        comparable.updatedAt = .sample()
        return String(decoding: comparable.json(), as: UTF8.self)
    }
}
