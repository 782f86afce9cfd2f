import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// The remains of a purge in the files of a server, searched byte by byte.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresPurgeTests {
    /// In every text that is to go; no other test has it.
    private static let word = "xjwqk"

    /// A database of its own: transactions in others do not matter.
    private let address: PostgresAddress
    private let session: PostgresSession

    init() throws {
        address = try PostgresAddress(PostgresServer.shared.newDatabase())
        session = try PostgresSession(address, settings: [])
    }

    /// Those of this database: other tests of this suite have the word, too.
    private func found() throws -> [String] {
        _ = try session.run("CHECKPOINT")
        let path = try #require(try session.value("SELECT pg_relation_filepath('bodies')"))
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        return try files(with: Self.word, in: "\(PostgresServer.shared.folder)/data/\(folder)")
    }

    /// Stores an article of which the server has samples, and removes its records.
    private func purge(in store: PostgresStore) async throws {
        let article = try await store.createArticle(
            .make(), .sample(Self.word, body: Self.word, tags: [Self.word]), by: .first)
        for number in 1...3 {
            _ = try await store.updateArticle(
                article.id, expecting: .anything, by: .later(Int64(number))
            ) {
                .of($0) { $0.draft.body = "\(Self.word) \(number)" }
            }
        }
        _ = try session.run("ANALYZE")
        #expect(try found() != [])
        _ = try await store.purge(article.id, revisions: [], by: .later(9))
    }

    /// Again, while other tests have transactions open for too long.
    private static func rewrite(_ store: PostgresStore) async throws {
        while true {
            do throws(StoreError) { return try await store.rewrite() } catch {
                guard case .unavailable(let reason) = error, reason.contains("has been open") else {
                    throw error
                }
            }
        }
    }

    @Test func `every table with texts is rewritten`() async throws {
        let store = try PostgresStore.open(address)
        let result = try session.run(
            """
            SELECT DISTINCT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
            WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
                AND (atttypid = 'text'::regtype OR attname IN ('data', 'first', 'item'))
            """)
        let tables = Set((0..<result.rows).map { result.text($0, 0) })
        // They have names of things and ids.
        let others: Set<String> = [
            "commit_marks", "invitations", "kept_counts", "keys", "secrets", "webhooks",
        ]
        #expect(tables.symmetricDifference(PostgresSession.textTables) == others)
        await store.close()
    }

    @Test func `no samples of a table stay that has no rows any more`() async throws {
        let store = try PostgresStore.open(address)
        try await purge(in: store)
        try await Self.rewrite(store)
        #expect(try found() == [])
        #expect(try await store.check().findings == [])
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        await store.close()
    }

    @Test func `transactions that may see what was removed are waited for`() async throws {
        let store = try PostgresStore.open(address)
        // It has a number, from before which new snapshots have to see everything: in any database.
        let writer = try PostgresSession(PostgresAddress(PostgresServer.shared.url()), settings: [])
        _ = try writer.run("BEGIN; SELECT txid_current()")
        try await purge(in: store)
        let lock = try PostgresSession(address, settings: [])
        _ = try lock.run("BEGIN; LOCK TABLE revisions IN ACCESS SHARE MODE")
        async let rewriting: Void = Self.rewrite(store)
        func waits(at text: String) async throws {
            #expect(
                await eventually {
                    let sessions = try? session.value(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                            AND query LIKE '%\(text)%'
                        """)
                    return sessions != "0"
                })
        }
        try await waits(at: "pg_prepared_xacts")
        _ = try writer.run("ROLLBACK")
        try await waits(at: "VACUUM%revisions")
        // It sees the samples that are about to be replaced.
        let reader = try PostgresSession(address, settings: [])
        _ = try reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
        _ = try lock.run("ROLLBACK")
        try await waits(at: "pg_prepared_xacts")
        _ = try reader.run("ROLLBACK")
        try await rewriting
        #expect(try found() == [])
        await store.close()
    }
}
