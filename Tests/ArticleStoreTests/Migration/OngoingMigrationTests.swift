import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

@testable import ArticleDatabase

/// Moving stores to the other engine while they are in use.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct OngoingMigrationTests {
    private static let seeds = 1...(Thoroughness.isFull ? 6 : 2)

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func records(_ store: any ArticleStore) async throws -> [ExportRecord] {
        let records = Lock([ExportRecord]())
        try await store.export { record in records.withLock { $0.append(record) } }
        return records.withLock { $0 }
    }

    /// Runs the work on a thread of its own, as it blocks.
    private func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "migration").async {
                continuation.resume(returning: Result { try work() })
            }
        }
        return try result.get()
    }

    /// Writes, and returns how often: a slow machine may reject some as busy.
    private func write(
        _ count: Int, to store: any SQLStore, _ model: inout RandomDatabase
    ) async throws -> Int {
        var written = 0
        for _ in 0..<count {
            do {
                try await model.write(to: store)
                written += 1
            } catch StoreError.busy {}
        }
        return written
    }

    /// Moves the store while the model writes, and returns what was verified.
    private func move(
        _ store: any SQLStore, to target: String, _ model: inout RandomDatabase
    ) async throws -> MigrationReport {
        // Each step takes place beside some writes, and the next one waits for them, so that
        // neither side has to catch up with much.
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let written = DispatchSemaphore(value: 0)
        let isOver = Lock(false)
        async let report = blocking {
            defer {
                isOver.withLock { $0 = true }
                turn.finish()
            }
            func beside(_ step: () throws -> Void) throws {
                turn.yield()
                try step()
                _ = written.wait(timeout: .now() + .seconds(Patience.seconds))
            }
            let migration = try store.migration(to: target)
            try beside { try migration.copy { _ in } }
            for _ in 0..<20 { try beside { _ = try migration.follow() } }
            turn.finish()
            return try migration.complete()
        }
        var writes = 0
        do {
            for await _ in turns {
                writes += try await write(10, to: store, &model)
                written.signal()
            }
            while true {
                // If the migration has failed, nothing is rejected.
                let isLast = isOver.withLock { $0 }
                writes += try await write(1, to: store, &model)
                if isLast { break }
            }
        } catch StoreError.moving {
            #expect(writes > 0)
        }
        return try await report
    }

    @Test(arguments: seeds)
    func `a file in use moves to PostgreSQL with every acknowledged write`(seed: Int)
        async throws
    {
        let store = try SQLiteStore.open(path: folder.file("a.db"), mode: .create)
        var model = try await RandomDatabase(seed: UInt64(seed), in: store)
        _ = try await write(150, to: store, &model)
        let address = try PostgresServer.shared.newSchema()
        let report = try await move(store, to: address.text, &model)
        let before = try await records(store)
        #expect(try await store.changeSequence() == report.sequence)
        await store.close()
        let moved = try PostgresStore.open(address)
        #expect(try await records(moved) == before)
        _ = try await write(40, to: moved, &model)
        await moved.close()
    }

    @Test(arguments: seeds)
    func `a PostgreSQL database in use moves to a file with every acknowledged write`(seed: Int)
        async throws
    {
        let store = try PostgresStore.open(PostgresServer.shared.newSchema())
        var model = try await RandomDatabase(seed: UInt64(seed), in: store)
        _ = try await write(150, to: store, &model)
        let path = folder.file("b.db")
        let report = try await move(store, to: path, &model)
        let before = try await records(store)
        #expect(try await store.changeSequence() == report.sequence)
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
        let moved = try SQLiteStore.open(path: path, mode: .existing)
        #expect(try await records(moved) == before)
        _ = try await write(40, to: moved, &model)
        await moved.close()
    }

    @Test func `a migration that is abandoned leaves nothing, and writes go on`() async throws {
        let file = try SQLiteStore.open(path: folder.file("a.db"), mode: .create)
        let address = try PostgresServer.shared.newSchema()
        let session = try PostgresSession(address, settings: [])
        let server = try PostgresStore.open(PostgresServer.shared.newSchema())
        for (store, target) in [(file, address.text), (server, folder.file("b.db"))]
            as [(any SQLStore, String)]
        {
            var model = try await RandomDatabase(seed: 7, in: store)
            _ = try await write(50, to: store, &model)
            for isComplete in [false, true] {
                try await blocking {
                    let migration = try store.migration(to: target)
                    try migration.copy { _ in }
                    if isComplete { _ = try migration.complete() }
                    migration.abandon()
                }
                _ = try await write(20, to: store, &model)
            }
        }
        #expect(
            try session.value(
                """
                SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                """) == "0")
        #expect(
            try session.value(
                "SELECT count(*) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace")
                == "0")
        #expect(access(folder.file("b.db"), F_OK) != 0)
        await file.close()
        await server.close()
    }

    /// A store, and a migration of it through a proxy.
    private func withProxy(
        _ body: (SQLiteStore, PostgresProxy, any OngoingMigration, PostgresSession) async throws
            -> Void
    ) async throws {
        let store = try SQLiteStore.open(path: folder.file("a.db"), mode: .create)
        var model = try await RandomDatabase(seed: 9, in: store)
        _ = try await write(50, to: store, &model)
        let address = try PostgresServer.shared.newSchema()
        let proxy = try PostgresProxy(to: PostgresServer.shared.folder, commit: "COMMIT\0")
        let session = try PostgresSession(address, settings: [])
        let migration = try store.migration(to: proxy.address(of: address).text)
        try await body(store, proxy, migration, session)
        _ = try await store.createArticle(.make(), .sample("last", slug: .keep), by: .first)
        await store.close()
    }

    @Test func `a target whose connection is cut is empty, and writes go on`() async throws {
        try await withProxy { store, proxy, migration, session in
            try migration.copy { _ in }
            _ = try await store.createArticle(.make(), .sample("a", slug: .keep), by: .first)
            proxy.cutAll()
            #expect(throws: StoreError.self) { try migration.follow() }
            migration.abandon()
            #expect(try session.value("SELECT to_regclass('articles')") == nil)
        }
    }

    @Test(arguments: [PostgresProxy.Cut.beforeRequest, .beforeResponse])
    func `if the connection is cut at the end, the server says what became of the target`(
        cut: PostgresProxy.Cut
    ) async throws {
        try await withProxy { _, proxy, migration, session in
            try migration.copy { _ in }
            proxy.cutNextCommit(cut)
            if cut == .beforeResponse {
                let report = try migration.complete()
                #expect(report.rows(of: "articles") > 0)
                #expect(try session.value("SELECT to_regclass('articles')") != nil)
            } else {
                #expect(throws: StoreError.self) { try migration.complete() }
            }
            migration.abandon()
            #expect(try session.value("SELECT to_regclass('articles')") == nil)
        }
    }

    @Test func `a target of the same engine is rejected`() async throws {
        let store = try SQLiteStore.open(path: folder.file("a.db"), mode: .create)
        #expect {
            try store.migration(to: folder.file("b.db"))
        } throws: { error in
            guard case .rejected(let reason)? = error as? StoreError else { return false }
            return "\(reason)".contains("use backup and restore")
        }
        await store.close()
    }
}
