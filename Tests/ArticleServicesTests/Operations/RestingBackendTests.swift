import ArticleDatabase
import ArticleOperations
import ArticleServiceCore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Foundation
import Testing

@testable import ArticleAccounts
@testable import ArticleResources
@testable import ArticleServices

/// Many backends in one process: the threads, timers and descriptors belong to the process.
@Suite struct RestingBackendTests {
    @Test func `200 backends at rest hold nothing but their files`() async throws {
        await #expect(processExitsWith: .success) {
            let backends = try await RestingBackends(200)
            try await backends.expectRest()
            try await backends.expectResponses()
        }
    }
}

/// Backends that have been used, and that go on with their background work.
private struct RestingBackends {
    private let folder: TemporaryFolder
    private let backends: [(backend: Backend, router: HTTPRouter)]
    /// The descriptors with which the process was started: those of other tests.
    private let inherited: Int
    /// The number of sleeps that have not ended.
    private let sleeps = Lock(0)

    /// The maximum of threads, and of descriptors but for those of databases, that a process has
    /// for itself, however many backends it has.
    private static let limitOfProcess = 30
    /// Of a database: the file and its lock, its log and its index, which the writer and three
    /// readers have open.
    private static let limitOfDatabase = 12

    init(_ count: Int) async throws {
        inherited = Self.names(in: "/proc/self/fd").count
        folder = try TemporaryFolder()
        DescriptorLimit.raise()
        var system = SystemEnvironment.real
        system.sleep = { [sleeps] time in
            sleeps.withLock { $0 += 1 }
            await SystemEnvironment.real.sleep(time)
            sleeps.withLock { $0 -= 1 }
        }
        let renderers = MarkdownRenderers(system: system)
        let hasher = try PasswordHasher(width: 1, depth: 64, cost: .least)
        var backends: [(Backend, HTTPRouter)] = []
        for number in 0..<count {
            let store = try await SQLiteStore.openNew(
                folder.file("\(number).db"), system: system)
            let backend = try await Backend(
                store: store, file: store, renderers: renderers,
                accounts: AccountConfiguration(signUp: .open, hasher: hasher), system: system,
                log: { Issue.record("\($0)") })
            UnstructuredTask.start { await backend.publisher.run() }
            UnstructuredTask.start { await backend.followAccess() }
            UnstructuredTask.start { await backend.streams.run() }
            UnstructuredTask.start { await backend.cleanupTask.run() }
            UnstructuredTask.start { await backend.indexer.run() }
            let router = try backend.controlRouter()
            try await Self.use(router)
            backends.append((backend, router))
        }
        self.backends = backends
    }

    /// Writes, renders and hashes.
    private static func use(_ router: HTTPRouter) async throws {
        let article = #"{"title":"Rye","slug":"rye","body":"*Bread*","status":"published"}"#
        let made = try await send(.post, "/v1/articles", article, to: router)
        let session = #"{"name":"nobody","password":"a password of nobody"}"#
        let rejected = try await send(.post, "/v1/sessions", session, to: router)
        guard made == .created, rejected.code < 500 else {
            throw TestFailure("the responses are \(made) and \(rejected)")
        }
    }

    private static func send(
        _ method: HTTPMethod, _ target: String, _ json: String? = nil, to router: HTTPRouter
    ) async throws -> HTTPStatus {
        let target = try #require(RequestTarget(target.utf8))
        var request = HTTPRequest(method, target)
        if let json {
            request.fields[.contentType] = "application/json"
            request.body = Array(json.utf8)
        }
        return await router.respond(to: request).status
    }

    func expectRest() async throws {
        guard await eventually({ backends.allSatisfy { $0.backend.indexer.isCurrent } }) else {
            throw TestFailure("an index does not become current")
        }
        // Dispatch keeps idle threads for some seconds. Of the tasks, only those that clean up
        // sleep, ten minutes each. Until they do, they read.
        let isAtRest = await eventually {
            threads.count <= Self.limitOfProcess && sleeps.withLock { $0 } <= backends.count
                && hasFewDescriptors
        }
        guard isAtRest else {
            let others = descriptors.filter { !isOfDatabase($0) }
            let state = """
                \(threads.count) threads, \(sleeps.withLock { $0 }) sleeps, \
                \(descriptors.count) descriptors, \(inherited) of them from the start, and not of \
                databases: \(others)
                """
            throw TestFailure("\(backends.count) backends have \(state)")
        }
    }

    private var hasFewDescriptors: Bool {
        let descriptors = descriptors
        let files = descriptors.count(where: isOfDatabase)
        return files <= Self.limitOfDatabase * backends.count
            && descriptors.count - files - inherited <= Self.limitOfProcess
    }

    private func isOfDatabase(_ target: String) -> Bool {
        // The path without links.
        target.hasPrefix(URL(filePath: folder.path).resolvingSymlinksInPath().path)
    }

    /// Each still does what it did.
    func expectResponses() async throws {
        for (_, router) in backends {
            for target in ["/v1/articles/rye", "/v1/search?q=rye"] {
                let status = try await Self.send(.get, target, to: router)
                guard status == .ok else { throw TestFailure("\(target): \(status)") }
            }
        }
    }

    private var threads: [String] { Self.names(in: "/proc/self/task") }

    /// The targets of the descriptors.
    private var descriptors: [String] {
        Self.names(in: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
