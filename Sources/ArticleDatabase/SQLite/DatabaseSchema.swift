import ArticleStore
import BroadsheetResources
import CBroadsheetSQLite

/// The versions of the file's schema: each migration is applied once, upgrades a file of the
/// version before it, and is never changed once it is released.
struct DatabaseSchema: Sendable {
    /// "BSHT" in the header of every Broadsheet database (`PRAGMA application_id`).
    static let applicationID = 0x4253_4854
    /// From this version on, there are users and their sessions.
    static let firstVersionWithAccounts = 11

    /// In order: the first converts an empty file.
    let migrations: [Migration]

    var version: Int { migrations.last?.version ?? 0 }

    /// The migrations embedded in the binary.
    static let bundled: DatabaseSchema = {
        let table = broadsheet_migrations()
        let files = UnsafeBufferPointer(start: table.first, count: table.count)
        return DatabaseSchema(
            migrations: files.map { file in
                Migration(to: file.leadingNumber, script: file.text)
            })
    }()

    /// Those of files that can be opened.
    var versions: [Int] { [0] + migrations.map(\.version) }

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
        let current = try Self.version(on: connection)
        for step in migrations where step.version > current { try step.apply(to: connection) }
    }
}

/// One step of the schema.
struct Migration: Sendable {
    /// A step that computes new data for existing rows, where SQL cannot. It runs within the
    /// transaction of its migration step. Progress is reported while its statements run.
    typealias Code = @Sendable (Connection) throws(StoreError) -> Void

    private enum Work: Sendable {
        case script(String)
        case code(Code)
    }

    /// The version of the schema to which it leads.
    let version: Int
    private let work: Work
    /// True if tables that others refer to are replaced: foreign keys are not enforced during the
    /// step, and all of them are checked at its end (https://www.sqlite.org/lang_altertable.html,
    /// section 7).
    private let rebuildsTables: Bool

    /// - Parameters:
    ///   - version: to which it leads.
    ///   - script: SQL. It rebuilds tables if it begins with the line `-- Rebuilds tables.`
    init(to version: Int, script: String) {
        self.version = version
        work = .script(script)
        rebuildsTables = script.hasPrefix("-- Rebuilds tables.\n")
    }

    init(to version: Int, rebuildsTables: Bool = false, code: @escaping Code) {
        self.version = version
        work = .code(code)
        self.rebuildsTables = rebuildsTables
    }

    /// Applies the step and sets the file's version, in one transaction.
    fileprivate func apply(to connection: Connection) throws(StoreError) {
        // This is ignored within a transaction.
        if rebuildsTables { try connection.execute(script: "PRAGMA foreign_keys = OFF") }
        do throws(StoreError) {
            try connection.execute(script: "BEGIN IMMEDIATE")
            switch work {
            case .script(let script): try connection.execute(script: script)
            case .code(let code): try code(connection)
            }
            if rebuildsTables { try Self.checkForeignKeys(connection) }
            try connection.execute(
                script: """
                    PRAGMA application_id = \(DatabaseSchema.applicationID);
                    PRAGMA user_version = \(version);
                    COMMIT;
                    """)
        } catch {
            if connection.isInTransaction { try? connection.execute(script: "ROLLBACK") }
            throw error
        }
        if rebuildsTables { try connection.execute(script: "PRAGMA foreign_keys = ON") }
    }

    private static func checkForeignKeys(_ connection: Connection) throws(StoreError) {
        let violations = try connection.statement("PRAGMA foreign_key_check")
        guard try violations.step() else { return }
        throw .corrupt("a row of \(violations.text(0)) refers to a row that does not exist")
    }
}

extension broadsheet_resource {
    /// The number with which the file's name begins.
    var leadingNumber: Int { Int(String(cString: name).prefix { $0.isNumber }) ?? 0 }

    var text: String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: size), as: UTF8.self)
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
