import ArticleStore
import Resources

/// The versions of the file's schema: each migration takes it one up, once, and is never changed.
struct DatabaseSchema: Sendable {
    /// "BSHT" in the header of every file that is ours (`PRAGMA application_id`).
    static let applicationID = 0x4253_4854

    /// SQL, in order: the first makes an empty file one of version 1.
    let migrations: [String]

    var version: Int { migrations.count }

    /// The migrations that the binary carries.
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

    /// The kind of file that an open connection sees.
    static func application(on connection: Connection) throws(StoreError) -> Int {
        let statement = try connection.statement("PRAGMA application_id")
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Brings the file up to this version, each step in a transaction of its own that also counts
    /// it: a step that fails leaves the file at the version before.
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
