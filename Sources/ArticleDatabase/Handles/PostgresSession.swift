import ArticleStore
import CBroadsheetPostgres
import Glibc

/// A connection to a PostgreSQL server (`PQconnectdbParams`), with its prepared statements; closed
/// when it is released.
///
/// It is used by one thread at a time and is not `Sendable`, like the `Connection` that owns it.
final class PostgresSession {
    let handle: OpaquePointer
    /// By the address of their SQL.
    private var queries: [UnsafePointer<UInt8>: PostgresQuery] = [:]
    /// Writes that were sent, whose results were not read yet. See `PostgresSession+Pipeline`.
    var pending = PostgresPipeline()
    private var lastChangedRows: Int64 = 0
    private var allChangedRows: Int64 = 0
    /// The number of transactions that were begun: cursors end with theirs.
    private(set) var transactions = 0
    private var cursors = 0
    /// The process that serves this session, once it is known.
    var knownProcess: Int32?
    /// The code of the last failure; `nil` if the server did not send any.
    private(set) var lastState: String?

    /// - Parameter settings: of the session, such as `statement_timeout`.
    init(
        _ address: PostgresAddress, settings: [(name: String, value: String)]
    ) throws(StoreError) {
        guard let handle = Self.connect(Self.options(of: address)) else {
            throw .unavailable("out of memory")
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
            PQfinish(handle)
            throw StoreError(
                sqlState: nil, message: message.split(separator: "\n").joined(separator: " "))
        }
        self.handle = handle
        cpostgres_discard_notices(handle)
        for setting in settings {
            _ = try run("SET \(setting.name) = '\(setting.value)'")
        }
    }

    deinit { PQfinish(handle) }

    static func options(of address: PostgresAddress) -> [(String, String)] {
        // Later ones replace earlier ones: the address may set all but the last.
        [
            ("fallback_application_name", "broadsheet"), ("connect_timeout", "10"),
            ("tcp_user_timeout", "15000"), ("keepalives_idle", "10"),
            ("keepalives_interval", "5"), ("keepalives_count", "2"),
            // Of several servers in the address, the one that has all commits.
            ("target_session_attrs", "primary"), ("dbname", address.text),
            ("client_encoding", "UTF8"),
        ]
    }

    private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
        // 1: the name of the database is a connection string.
        lend(options) { PQconnectdbParams($0, $1, 1) }
    }

    /// Begins to connect (`PQconnectStartParams`).
    static func start(_ options: [(String, String)]) -> OpaquePointer? {
        lend(options) { PQconnectStartParams($0, $1, 1) }
    }

    private typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

    private static func lend(
        _ options: [(String, String)], _ use: (Texts, Texts) -> OpaquePointer?
    ) -> OpaquePointer? {
        let texts = options.flatMap { [strdup($0.0), strdup($0.1)] }
        defer { for text in texts { free(text) } }
        var keywords: [UnsafePointer<CChar>?] = []
        var values: [UnsafePointer<CChar>?] = []
        for index in stride(from: 0, to: texts.count, by: 2) {
            keywords.append(texts[index].map { UnsafePointer($0) })
            values.append(texts[index + 1].map { UnsafePointer($0) })
        }
        return use(keywords + [nil], values + [nil])
    }

    // MARK: State

    /// True if the connection was lost (`PQstatus`).
    var isLost: Bool { PQstatus(handle) != CONNECTION_OK }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    var changedRows: Int64 {
        readPendingResults()
        return lastChangedRows
    }

    /// Rows changed by all of them.
    var totalChangedRows: Int64 {
        readPendingResults()
        return allChangedRows
    }

    /// True if a transaction is open, perhaps one that failed (`PQtransactionStatus`).
    var isInTransaction: Bool {
        readPendingResults()
        return switch PQtransactionStatus(handle) {
        case PQTRANS_INTRANS, PQTRANS_INERROR: true
        default: false
        }
    }

    /// True if a transaction is open and no statement has failed in it.
    var isInGoodTransaction: Bool {
        readPendingResults()
        return PQtransactionStatus(handle) == PQTRANS_INTRANS
    }

    /// True if the last failure was due to other transactions: the same one may succeed now.
    var mayRetry: Bool { lastState == "40001" || lastState == "40P01" }

    /// The version of the server: 150000 is 15.0 (`PQserverVersion`).
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    // MARK: Running

    /// Runs statements without parameters, and returns the last result, as text (`PQexec`).
    func run(_ text: String) throws(StoreError) -> PostgresResult {
        if text.hasPrefix("BEGIN") { transactions += 1 }
        // A failed transaction is rolled back.
        if text.hasPrefix("ROLLBACK") { forgetPendingResults() } else { try settle() }
        return try checked(PQexec(handle, text))
    }

    func query(_ sql: StaticString) -> PostgresQuery {
        if let query = queries[sql.utf8Start] { return query }
        let query = PostgresQuery(sql, number: queries.count)
        queries[sql.utf8Start] = query
        return query
    }

    /// Executes a prepared statement (`PQexecPrepared`), after all that were sent before.
    func execute(
        _ query: PostgresQuery, _ parameters: borrowing PostgresParameters
    ) throws(StoreError) -> PostgresResult {
        try settle()
        try prepare(query, parameters)
        return try checked(
            parameters.lend { count, values, lengths, formats in
                PQexecPrepared(handle, query.name, count, values, lengths, formats, 1)
            })
    }

    /// Prepares a statement for the types of these parameters, if it was not before (`PQprepare`).
    func prepare(
        _ query: PostgresQuery, _ parameters: borrowing PostgresParameters
    ) throws(StoreError) {
        guard !query.isPrepared else { return }
        try settle()
        let types = parameters.types
        _ = try checked(PQprepare(handle, query.name, query.text, Int32(types.count), types))
        query.isPrepared = true
    }

    /// Executes a statement once (`PQexecParams`).
    func execute(
        once text: String, _ parameters: borrowing PostgresParameters
    ) throws(StoreError) -> PostgresResult {
        try settle()
        let types = parameters.types
        return try checked(
            parameters.lend { count, values, lengths, formats in
                PQexecParams(handle, text, count, types, values, lengths, formats, 1)
            })
    }

    /// A name for a cursor, which this session did not have before.
    func nextCursor() -> String {
        cursors += 1
        return "c\(cursors)"
    }

    func checked(_ handle: OpaquePointer?) throws(StoreError) -> PostgresResult {
        guard let handle else { throw lost() }
        let result = PostgresResult(handle)
        guard result.isSuccess else {
            lastState = result.sqlState
            guard let state = lastState else { throw lost() }
            throw StoreError(sqlState: state, message: result.message)
        }
        if let count = result.changedRows {
            lastChangedRows = count
            allChangedRows += count
        }
        return result
    }

    func lost() -> StoreError {
        lastState = nil
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return StoreError(
            sqlState: nil, message: message.split(separator: "\n").joined(separator: " "))
    }

    /// Makes a running statement fail, from any thread (`PQcancel`).
    var canceller: PostgresCanceller? { PostgresCanceller(of: handle) }
}

/// Cancels the statement that a session is running, from any thread (`PQgetCancel`).
final class PostgresCanceller: @unchecked Sendable {
    // `PQcancel` may be called from any thread, and the handle is independent of the session's.
    let handle: OpaquePointer

    fileprivate init?(of session: OpaquePointer) {
        guard let handle = PQgetCancel(session) else { return nil }
        self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(handle, &message, Int32(message.count))
    }
}
