import ArticleStore
import BroadsheetSQLite

/// The SQL statements of the store: here those of transactions, all others beside their only use.
/// All mean the same to both engines, unless their name says otherwise.
enum SQL {
    static let begin: StaticString = "BEGIN"
    static let beginImmediate: StaticString = "BEGIN IMMEDIATE"
    static let commit: StaticString = "COMMIT"
    static let rollback: StaticString = "ROLLBACK"
    static let savepoint: StaticString = "SAVEPOINT step"
    static let release: StaticString = "RELEASE step"
    static let rollbackToSavepoint: StaticString = "ROLLBACK TO step"
}

/// An open connection to a database of either engine, with its compiled statements.
///
/// It is used by one thread at a time and is not `Sendable`: the commit queue owns one, each reader
/// owns one.
final class Connection {
    /// The owner of the connection's handle. There are two engines, and no indirection: a statement
    /// of SQLite takes less time than a few calls through an existential.
    enum Engine {
        case sqlite(SQLiteFile)
        case postgres(PostgresSession)
    }

    let engine: Engine
    /// Names looked up by its read transactions.
    let names = RowCache()
    var effects = CommitEffects()
    /// The commit before the open transaction of a writer; `nil` if they are not counted, as nobody
    /// else can commit.
    var precedingCommit: NumberedCommit?
    private var idle = StatementCache()

    init(_ engine: Engine) { self.engine = engine }

    deinit { idle.removeAll { finalize($0) } }

    /// True if each statement is a round trip to another process.
    var isRemote: Bool {
        if case .postgres = engine { true } else { false }
    }

    /// True if a transaction is open: some failures end one on their own.
    var isInTransaction: Bool {
        switch engine {
        case .sqlite(let file): file.database.isInTransaction
        case .postgres(let session): session.isInTransaction
        }
    }

    /// True if a transaction is open that can be committed. PostgreSQL ends none on its own, but
    /// rejects all further statements after one failed.
    var canCommit: Bool {
        switch engine {
        case .sqlite(let file): file.database.isInTransaction
        case .postgres(let session): session.isInGoodTransaction
        }
    }

    /// True if the connection is of no use any more.
    var isLost: Bool {
        switch engine {
        case .sqlite: false
        case .postgres(let session): session.isLost
        }
    }

    /// Bytes in use in SQLite's write-ahead log, as of this connection's last commit.
    var logBytes: Int {
        if case .sqlite(let file) = engine { file.logBytes } else { 0 }
    }

    /// Rows changed since the connection was opened.
    var totalChangedRows: Int64 {
        switch engine {
        case .sqlite(let file): file.database.totalChangedRows
        case .postgres(let session): session.totalChangedRows
        }
    }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    var changedRows: Int64 {
        switch engine {
        case .sqlite(let file): Int64(file.database.changedRows)
        case .postgres(let session): session.changedRows
        }
    }

    /// Runs statements that are not cached: schema, settings.
    func execute(script: String) throws(StoreError) {
        switch engine {
        case .sqlite(let file): try file.database.execute(script: script)
        case .postgres(let session): _ = try session.run(script)
        }
    }

    /// Runs a statement without parameters or rows.
    func execute(_ sql: StaticString) throws(StoreError) {
        switch engine {
        case .sqlite:
            let statement = try statement(sql)
            _ = try statement.step()
        case .postgres(let session): _ = try session.run(sql.description)
        }
    }

    /// Throws the failure of a statement whose result was not read yet.
    func settle() throws(StoreError) {
        if case .postgres(let session) = engine { try session.settle() }
    }

    /// Runs a statement that rolls back to a savepoint, and forgets the names and effects since
    /// then.
    func undo(_ sql: StaticString, to mark: CommitEffects.Mark) throws(StoreError) {
        names.forget()
        effects.undo(to: mark)
        try execute(sql)
    }

    /// Rolls back the whole transaction, which a failure may already have ended.
    func rollBack() {
        names.forget()
        effects.clear()
        if isInTransaction { try? execute(SQL.rollback) }
    }

    /// A statement ready to bind, cached or newly compiled.
    func statement(_ sql: StaticString) throws(StoreError) -> Statement {
        if let handle = idle.take(sql.utf8Start) {
            return Statement(engine, handle, key: sql.utf8Start, connection: self)
        }
        let handle =
            switch engine {
            case .sqlite(let file): try file.prepare(sql).pointer
            case .postgres(let session):
                OpaquePointer(
                    Unmanaged.passRetained(PostgresStatement(sql, on: session)).toOpaque())
            }
        return Statement(engine, handle, key: sql.utf8Start, connection: self)
    }

    /// Returns a reset statement to the cache, which keeps a few of each kind.
    func recycle(_ statement: OpaquePointer, key: UnsafePointer<UInt8>) {
        if !idle.keep(statement, key) { finalize(statement) }
    }

    /// Makes a running statement fail, from any thread.
    var interrupter: Interrupter {
        switch engine {
        case .sqlite(let file): .sqlite(file.interrupter)
        case .postgres(let session): .postgres(session.canceller)
        }
    }

    private func finalize(_ statement: OpaquePointer) {
        switch engine {
        case .sqlite(let file): file.database.finalize(SQLiteHandle(statement))
        case .postgres:
            Unmanaged<PostgresStatement>.fromOpaque(UnsafeRawPointer(statement)).release()
        }
    }
}

/// Makes the running statement of a connection fail, from any thread, while the connection exists.
enum Interrupter: Sendable {
    case sqlite(SQLiteInterrupter)
    /// `nil` if the connection is lost.
    case postgres(PostgresCanceller?)

    func interrupt() {
        switch self {
        case .sqlite(let interrupter): interrupter.interrupt()
        case .postgres(let canceller): canceller?.cancel()
        }
    }
}
