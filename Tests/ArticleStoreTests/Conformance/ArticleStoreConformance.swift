import ArticleDatabase
import ArticleStore
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

/// The conformance suite for every engine. An engine is tested by adding it to `Engine.all`.
@Suite struct ArticleStoreConformance {}

/// Creates empty stores of one kind.
struct Engine: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Runs the body with an empty store, closes it, and checks its integrity.
    var with: @Sendable (_ body: (any ArticleStore) async throws -> Void) async throws -> Void

    static let all = PostgresServer.isInstalled ? [sqlite, postgres] : [sqlite]

    static let sqlite = Engine(testDescription: "SQLite") { body in
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        do {
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("store.db")).findings == [])
    }

    static let postgres = Engine(testDescription: "PostgreSQL") { body in
        let schema = try await EmptySchemas.shared.take()
        let store = try PostgresStore.open(PostgresServer.shared.address(ofSchema: schema))
        do {
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        try await EmptySchemas.shared.giveBack(schema)
    }
}

/// The store's error that the operation throws.
func failure(of operation: () async throws -> Void) async throws -> StoreError {
    do { try await operation() } catch let error as StoreError { return error }
    throw NothingWasThrown()
}

/// An operation that was expected to fail succeeded.
struct NothingWasThrown: Error {}
