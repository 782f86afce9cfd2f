import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestDatabases
import BroadsheetTestSupport

/// A store in a temporary folder.
enum ExampleStore {
    /// Runs the body with an empty store, and closes it.
    static func run(
        _ body: (any ArticleStore & StoreMaintenance) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        do {
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}
