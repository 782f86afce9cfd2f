import ArticleStore
import CSQLite
import Resources

/// The versions of the file's schema: each migration is applied once, upgrades it by one version,
/// and is never changed.
struct DatabaseSchema: Sendable {
    /// "BSHT" in the header of every Broadsheet database (`PRAGMA application_id`).
    static let applicationID = 0x4253_4854

    /// SQL scripts in order: the first converts an empty file to version 1.
    let migrations: [String]

    var version: Int { migrations.count }

    /// The migrations embedded in the binary.
    static let bundled: DatabaseSchema = {
        let table = broadsheet_migrations()
        let files = UnsafeBufferPointer(start: table.first, count: table.count)
        return DatabaseSchema(
            migrations: files.map { file in
                String(
                    decoding: UnsafeBufferPointer(start: file.bytes, count: file.size),
                    as: UTF8.self)
            })
    }()

    /// The version that an open connection sees.
    static func version(on connection: Connection) throws(StoreError) -> Int {
        let statement = try connection.statement("PRAGMA user_version")
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// The application id that an open connection sees.
    static func application(on connection: Connection) throws(StoreError) -> Int {
        let statement = try connection.statement("PRAGMA application_id")
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Migrates the file to this version. Each step updates the version in its own transaction: if
    /// a step fails, the file keeps the previous version.
    func migrate(_ connection: Connection) throws(StoreError) {
        for step in try Self.version(on: connection)..<max(version, Self.version(on: connection)) {
            do {
                try connection.execute(
                    script: """
                        BEGIN IMMEDIATE;
                        \(migrations[step])
                        PRAGMA application_id = \(Self.applicationID);
                        PRAGMA user_version = \(step + 1);
                        COMMIT;
                        """)
            } catch {
                if connection.isInTransaction { try? connection.execute(script: "ROLLBACK") }
                throw error
            }
        }
    }
}

extension StoreError {
    /// The only place that interprets SQLite's result codes (https://www.sqlite.org/rescode.html).
    init(code: Int32, message: String) {
        let text = "SQLite \(code): \(message)"
        self =
            switch code & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .corrupt(text)
            default: .unavailable(text)
            }
    }
}
