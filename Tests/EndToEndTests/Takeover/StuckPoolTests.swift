import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Stops and upgrades of servers whose threads never end what they do.
@Suite(.mayBlock) struct StuckPoolTests {
    private let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private func start(
        _ pool: StuckPool, _ arguments: [String] = ["--grace", "1"]
    ) async throws -> StuckServer {
        try await StuckServer(pool, in: folder, database, arguments)
    }

    @Test(arguments: StuckPool.all)
    func `a stop leaves a thread behind that does not end`(pool: StuckPool) async throws {
        let pinned = try await start(pool)
        pinned.served.program.signal(SIGTERM)
        let log = pinned.served.program.errors.rest()
        #expect(pinned.served.program.wait() == 0, "\(log)")
        let left = log.filter { $0.contains("is still running: abandoning it") }
        if let name = pool.left {
            #expect(left.contains { $0.contains(name) }, "\(log)")
        } else {
            #expect(left.isEmpty, "\(left)")
        }
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    /// A loop that does not respond prevents the stop itself.
    private static let loop = StuckPool(
        "loop", at: "recv", "/livez", leaves: nil, ["--loops", "1"])

    @Test func `a server that cannot stop ends all the same`() async throws {
        let pinned = try await start(Self.loop)
        pinned.served.program.signal(SIGTERM)
        let log = pinned.served.program.errors.rest()
        #expect(pinned.served.program.wait() == 1)
        #expect(log.contains { $0.contains("exiting without it") }, "\(log)")
    }

    @Test func `a server that cannot hand over leaves its successor everything`() async throws {
        let pinned = try await start(Self.loop)
        try pinned.server.upgrade()
        try pinned.served.waitForError("exiting so that process")
        #expect(pinned.served.program.wait() == 0)
        #expect(
            try pinned.served.send(.post, "/v1/articles", #"{"title":"Rye"}"#).status == 201)
        #expect(await pinned.server.stop())
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test(
        arguments: Thoroughness.isFull
            ? StuckPool.all : [StuckPool.writer, StuckPool.reader, StuckPool.source])
    func `an upgrade leaves a thread behind, and no request of others fails`(
        pool: StuckPool
    ) async throws {
        let pinned = try await start(pool)
        let address = pinned.served.addresses[0]
        let load = BackgroundLoad(readers: 1, writers: 0) { try RawConnection(address) }
        #expect(load.goOn(for: 10))
        try pinned.server.upgrade()
        #expect(load.goOn(for: 10))
        load.stop()
        #expect(load.failures.isEmpty, "\(load.failures.prefix(3))")
        #expect(load.connections == 1)
        // A write that does not end keeps the file until the process has ended.
        if pool.left == "a write" {
            try pinned.served.waitForError("exiting so that process")
        } else if let name = pool.left, !pool.isSending {
            try pinned.served.waitForError("\(name) is still running: abandoning it")
        }
        #expect(pinned.served.program.wait() == 0)
        #expect(
            try pinned.served.send(.post, "/v1/articles", #"{"title":"Rye"}"#).status == 201)
        #expect(await pinned.server.stop())
        #expect(try Program.run("check", "--database", database).status == 0)
    }
}
