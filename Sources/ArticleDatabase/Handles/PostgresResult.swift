import ArticleStore
import CBroadsheetPostgres

/// The result of one execution (`PGresult`), freed when it is released.
final class PostgresResult {
    private let handle: OpaquePointer
    let rows: Int32

    init(_ handle: OpaquePointer) {
        self.handle = handle
        rows = PQntuples(handle)
    }

    deinit { PQclear(handle) }

    var isSuccess: Bool {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: true
        default: false
        }
    }

    /// The rows that a statement inserted, updated or deleted; `nil` if it only reads
    /// (`PQcmdTuples`).
    var changedRows: Int64? {
        guard let tag = PQcmdStatus(handle) else { return nil }
        // "INSERT 0 1", "UPDATE 1", "DELETE 1"
        switch tag[0] {
        case CChar(UInt8(ascii: "I")), CChar(UInt8(ascii: "U")), CChar(UInt8(ascii: "D")):
            return PQcmdTuples(handle).flatMap { Int64(String(cString: $0)) }
        default: return nil
        }
    }

    /// Five characters that identify the kind of failure; `nil` if the server did not send any.
    var sqlState: String? {
        PQresultErrorField(handle, cpostgres_sqlstate).map { String(cString: $0) }
    }

    /// A description of the failure, without the values of rows, which may be personal.
    var message: String {
        let message =
            PQresultErrorField(handle, cpostgres_primary_message)
            ?? PQresultErrorMessage(handle)
        let text = message.map { String(cString: $0) } ?? ""
        return text.split(separator: "\n").joined(separator: " ")
    }

    // MARK: Columns, counted from 0, in binary form

    func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(handle, row, column) != 0 }

    /// The bytes of a value, valid as long as the result; empty for NULL.
    func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column),
            count: Int(PQgetlength(handle, row, column)))
    }

    func text(_ row: Int32, _ column: Int32) -> String {
        String(decoding: bytes(row, column), as: UTF8.self)
    }

    /// A number of 8, 4 or 2 bytes, or a truth value; 0 for NULL.
    func integer(_ row: Int32, _ column: Int32) -> Int64 {
        let bytes = bytes(row, column)
        return switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: Int64(bytes[0])
        default: 0
        }
    }

    func real(_ row: Int32, _ column: Int32) -> Double {
        let bytes = bytes(row, column)
        guard bytes.count == 8 else { return 0 }
        return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }
}

/// A row of a result.
struct PostgresRow {
    fileprivate let result: PostgresResult
    fileprivate let number: Int32

    init(result: PostgresResult, number: Int32) {
        self.result = result
        self.number = number
    }

    func integer(_ column: Int32) -> Int64 { result.integer(number, column) }
}

extension StoreError {
    /// The only place that interprets PostgreSQL's codes
    /// (https://www.postgresql.org/docs/15/errcodes-appendix.html).
    init(sqlState: String?, message: String) {
        let text = "PostgreSQL \(sqlState ?? "connection"): \(message)"
        self =
            switch sqlState ?? "" {
            case "53100": .full
            case "XX001", "XX002": .corrupt(text)
            // A prepared statement is there already, or is not there any more.
            case "42P05", "26000": .unavailable("\(text); \(Self.poolerMode)")
            case "08P01" where message.contains("statement pooling mode"):
                .unavailable("\(text); \(Self.poolerMode)")
            case let code where code.hasPrefix("22") || code.hasPrefix("23"): .corrupt(text)
            default: .unavailable(text)
            }
    }

    /// The end of the reason of each error that a pooler in another mode causes.
    static let poolerMode = "a connection pooler (PgBouncer) has to be in session mode"
}
