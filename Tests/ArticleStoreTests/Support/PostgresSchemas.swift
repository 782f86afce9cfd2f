import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport

@testable import ArticleDatabase

extension PostgresServer {
    /// The address of a new, empty schema, which is a database of its own to the store.
    func newSchema() throws -> PostgresAddress { try address(ofSchema: newSchemaName()) }

    /// The name of a new, empty schema.
    func newSchemaName() throws -> String {
        let name = newName()
        let session = try PostgresSession(PostgresAddress(url()), settings: [])
        _ = try session.run("CREATE SCHEMA \(name)")
        return name
    }

    func address(ofSchema name: String) throws -> PostgresAddress {
        try PostgresAddress(url("&options=-csearch_path%3D\(name)"))
    }

    private func url(_ rest: String) -> String { url(of: "postgres", rest) }
}

extension PostgresStore {
    /// Opens a store that creates no files, and leads if no other one does.
    static func open(_ address: PostgresAddress) throws(StoreOpeningError) -> PostgresStore {
        var configuration = PostgresConfiguration()
        configuration.mayLead = true
        return try open(
            address, path: "/nowhere/store", mode: .create, configuration: configuration)
    }

    /// Opens a store with the machine's clocks.
    static func open(
        _ address: PostgresAddress, path: String, mode: StoreMode,
        configuration: PostgresConfiguration = PostgresConfiguration()
    ) throws(StoreOpeningError) -> PostgresStore {
        try open(
            address, path: path, mode: mode, configuration: configuration, system: .real)
    }
}

extension SQLiteStore {
    /// Opens a store with the machine's clocks.
    static func open(
        path: String, mode: StoreMode, configuration: SQLiteConfiguration = SQLiteConfiguration()
    ) throws(StoreOpeningError) -> SQLiteStore {
        try open(path: path, mode: mode, configuration: configuration, system: .real)
    }
}
