public import ArticleAPI
public import ArticleStore
import HTTP

/// `GET /control/keys`: lists the records of all API keys.
public struct FetchKeysRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/keys", access: .administer)
    public typealias Item = KeyList

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `POST /control/keys`: stores the record of a new key, which is valid immediately.
public struct CreateKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/control/keys", access: .administer, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init, .body(\.key))

    public var key: KeyRecord

    public init(key: KeyRecord) { self.key = key }
}

/// `POST /control/keys/{id}/revocation`: revokes a key, effective immediately.
public struct RevokeKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/control/keys/{id}/revocation", access: .administer)
    public typealias Item = KeyRecord

    public static let parameters = Parameters(Self.init, .path("id", \.id, .token(1...64)))

    public var id: String

    public init(id: String) { self.id = id }
}

/// All keys in the database.
public struct KeyList: Sendable, Hashable {
    public var keys: [KeyRecord]
}

extension KeyList: JSONModel {
    public static let shape = ObjectCodec(
        Self.init, .required("keys", \.keys, .array(of: KeyRecord.format, atMost: 1_000_000)))
}

extension KeyRecord: JSONModel {
    /// Includes the digest, which only the owner of the file may see.
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .text(.token(1...64))),
        .required("digest", \.digest, .text(.digest)),
        .required("name", \.name, .text(.line(1...100))),
        .required("role", \.role, .text(.token(1...16))),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("expiresAt", \.expiresAt, .timestamp),
        .optional("revokedAt", \.revokedAt, .timestamp))
}

/// `GET /control/state`: returns what the store holds.
public struct FetchStateRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/state", access: .administer)
    public typealias Item = StoreState

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// How much a store holds.
public struct StoreState: Sendable, Hashable {
    /// The number of the last change.
    public var sequence: Int
    /// Excludes tombstones.
    public var articles: Int
}

extension StoreState: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("sequence", \.sequence, .integer(0...Int.max)),
        .required("articles", \.articles, .integer(0...Int.max)))
}

/// `GET /control/check`: checks the database while it is being served.
public struct CheckRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/check", access: .administer)
    public typealias Item = CheckReport

    public static let parameters = Parameters(Self.init)

    public init() {}
}

extension CheckReport: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("articles", \.articles, .integer(0...Int.max)),
        .required("revisions", \.revisions, .integer(0...Int.max)),
        .required("changes", \.changes, .integer(0...Int.max)),
        .required("findings", \.findings, .array(of: .text(.lines(0...10_000)), atMost: 10_000)))
}

/// `GET /control/export`: streams an export in the format of `Exporter`.
public struct ExportRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/export", access: .administer)
    public typealias Item = RawBody

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `POST /control/restorations`: sends lines of an export to the process that owns the file.
public struct RestoreRecordsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.post, "/control/restorations", access: .administer)
    public typealias Item = RestoreCounts

    public static let parameters = Parameters(
        Self.init(mode:lines:), .query("mode", \.mode, .choice),
        .bytes(\.lines, mediaTypes: ["application/x-ndjson"]))

    /// Whether the records are stored.
    public enum Mode: String, Sendable, CaseIterable {
        case restore, dryRun
    }

    private var mode: Mode?
    /// Records as they appear in an export (`ExportLine`).
    private var lines: [UInt8]

    private init(mode: Mode?, lines: [UInt8]) {
        self.mode = mode
        self.lines = lines
    }

    public init(_ records: [ExportRecord], isDryRun: Bool) {
        mode = isDryRun ? .dryRun : .restore
        lines = records.flatMap { ExportLine.record($0).bytes }
    }

    var isDryRun: Bool { mode == .dryRun }

    /// - Throws: if a line is not a record.
    func records() throws(ServiceError) -> [ExportRecord] {
        var records: [ExportRecord] = []
        for (index, line) in lines.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let value = try? JSONParser.parse(Array(line)),
                case .record(let record)? = try? ExportLine(value)
            else { throw .invalidValue("", "line \(index + 1) is not a record of an export") }
            records.append(record)
        }
        return records
    }
}

extension RestoreCounts: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("added", \.added, .integer(0...Int.max)),
        .required("unchanged", \.unchanged, .integer(0...Int.max)))
}
