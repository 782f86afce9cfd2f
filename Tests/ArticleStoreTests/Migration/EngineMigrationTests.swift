import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleDatabase

/// Moving databases between the engines while nobody serves them. Migrations block their thread,
/// for a minute if the target is being served, so that tests have threads of their own.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct EngineMigrationTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private func emptyFile(_ name: String) throws -> String {
        let path = folder.file(name)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        return path
    }

    private func tables(of report: MigrationReport) -> [String] {
        report.tables.map { "\($0.name) \($0.rows) \($0.digest)" }.sorted()
    }

    /// Everything that the store's interface returns of histories and people.
    private func records(_ store: any ArticleStore) async throws -> [ExportRecord] {
        let records = Lock([ExportRecord]())
        try await store.export { record in records.withLock { $0.append(record) } }
        return records.withLock { $0 }
    }

    @Test(arguments: 1...(Thoroughness.isFull ? 8 : 2))
    func `a database moves to PostgreSQL and back, and is the same`(seed: Int) async throws {
        try await mayBlock {
            let file = try SQLiteStore.open(path: path, mode: .create)
            var model = try await RandomDatabase(seed: UInt64(seed), in: file)
            for _ in 0..<300 { try await model.write(to: file) }
            let before = try await records(file)
            let epoch = try await file.read { (state) throws(StoreError) in try state.epoch() }
            await file.close()

            let address = try PostgresServer.shared.newSchema()
            let there = try EngineMigration.copy(file: path, to: address, system: .real) { _ in }
            #expect(there.rows(of: "articles") > 0 && there.rows(of: "kept_writes") > 0)
            #expect(there.rows(of: "keys") > 0 && there.rows(of: "user_count") == 1)

            let back = try emptyFile("b.db")
            let here = try EngineMigration.copy(
                address, to: CopyDestination(path: back), isOwned: true, system: .real
            ) { _ in }
            #expect(tables(of: here) == tables(of: there) && here.sequence == there.sequence)
            #expect(try SQLiteStore.check(path: back).findings == [])

            // Both can be served, are the same history, and take further writes.
            for store in [
                try PostgresStore.open(address), try SQLiteStore.open(path: back, mode: .existing),
            ] as [any SQLStore] {
                #expect(try await records(store) == before)
                #expect(
                    try await store.read { (state) throws(StoreError) in try state.epoch() }
                        == epoch)
                var model = model
                for _ in 0..<40 { try await model.write(to: store) }
                #expect(try await store.changeSequence() > there.sequence)
                await (store as? PostgresStore)?.close()
                await (store as? SQLiteStore)?.close()
            }
        }
    }

    @Test func `a target with anything in it is rejected, and not touched`() async throws {
        try await mayBlock {
            try await SQLiteStore.open(path: path, mode: .create).close()
            let address = try PostgresServer.shared.newSchema()
            let session = try PostgresSession(address, settings: [])
            _ = try session.run("CREATE TABLE other (number bigint)")
            #expect {
                try EngineMigration.copy(file: path, to: address, system: .real) { _ in }
            } throws: { error in
                "\(error)".contains("is not empty")
            }
            #expect(try session.value("SELECT to_regclass('articles')") == nil)
        }
    }

    @Test func `the names of a hostile file's tables are no part of a statement`() async throws {
        try await mayBlock {
            try await SQLiteStore.open(path: path, mode: .create).close()
            try Connection(path: path, access: .write).execute(
                script: #"CREATE TABLE "x'); CREATE TABLE taken (a int); --" (a)"#)
            let address = try PostgresServer.shared.newSchema()
            #expect {
                try EngineMigration.copy(file: path, to: address, system: .real) { _ in }
            } throws: { error in
                "\(error)".contains("a table has the name")
            }
            let session = try PostgresSession(address, settings: [])
            #expect(try session.value("SELECT to_regclass('taken')") == nil)
        }
    }

    @Test func `a database that is served is not a target`() async throws {
        try await mayBlock {
            try await SQLiteStore.open(path: path, mode: .create).close()
            let address = try PostgresServer.shared.newSchema()
            let store = try PostgresStore.open(address)
            #expect {
                try EngineMigration.copy(file: path, to: address, system: .real) { _ in }
            } throws: { error in
                "\(error)".contains("is being served")
            }
            await store.close()
        }
    }

    @Test func `a copy whose connection is cut leaves an empty target, and can be repeated`()
        async throws
    {
        try await mayBlock {
            let file = try SQLiteStore.open(path: path, mode: .create)
            var model = try await RandomDatabase(seed: 3, in: file)
            for _ in 0..<100 { try await model.write(to: file) }
            await file.close()
            let image = try FileBytes.read(path)
            let address = try PostgresServer.shared.newSchema()
            let session = try PostgresSession(address, settings: [])
            let proxy = try PostgresProxy(to: PostgresServer.shared.folder)
            for isLate in [false, true] {
                #expect(throws: (any Error).self) {
                    try EngineMigration.copy(
                        file: path, to: proxy.address(of: address), system: .real
                    ) { step in
                        switch step {
                        case .indexing where !isLate, .verifying: proxy.cutAll()
                        default: break
                        }
                    }
                }
                #expect(try session.value("SELECT to_regclass('articles')") == nil)
                #expect(try FileBytes.read(path) == image)
            }
            #expect(
                await eventually {
                    (try? EngineMigration.copy(file: path, to: address, system: .real) { _ in })
                        != nil
                })
            #expect(try session.value("SELECT count(*) FROM articles") != "0")
        }
    }

    @Test func `a difference between the copy and its source is found`() throws {
        var (one, other) = (TableDigest(), TableDigest())
        let rows: [[UInt8]] = [[1, 2], [3], [], [1, 2]]
        for row in rows { row.withUnsafeBytes { one.add($0) } }
        for row in rows.reversed() { row.withUnsafeBytes { other.add($0) } }
        #expect(one == other && one.rows == 4)
        [UInt8(3)].withUnsafeBytes { one.add($0) }
        [UInt8(4)].withUnsafeBytes { other.add($0) }
        #expect(one != other && one.text != other.text)
    }

    @Test func `a copy of a PostgreSQL store is a file that can be served`() async throws {
        try await mayBlock {
            let store = try PostgresStore.open(PostgresServer.shared.newSchema())
            var model = try await RandomDatabase(seed: 5, in: store)
            for _ in 0..<200 { try await model.write(to: store) }
            let copy = try emptyFile("copy.db")
            let before = try await records(store)
            try await store.copy(into: copy).make { _ in }
            for _ in 0..<20 { try await model.write(to: store) }
            await store.close()
            #expect(try SQLiteStore.settle(copy: copy).findings == [])
            let restored = try SQLiteStore.open(path: copy, mode: .existing)
            #expect(try await records(restored) == before)
            await restored.close()
        }
    }
}
