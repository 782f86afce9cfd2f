public import ArticleAPI
import ArticleImportExport
import ArticleServiceCore
public import ArticleStore
import BroadsheetHTTP

/// `GET /v1/admin/state`: returns the content of the store in numbers.
public struct FetchStateRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/state", name: "getState",
        summary: "Gets the contents and the state of the store", access: .administer)
    public typealias Item = StoreState

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// The numbers of records in a store.
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

/// `GET /v1/admin/check`: checks the database while it is being served.
public struct CheckRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/check", name: "checkDatabase",
        summary: "Checks the database", access: .administer)
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
        .required("findings", \.findings, .array(of: .text(.lines(0...10_000)), limit: 10_000)))
}

/// `POST /v1/admin/history`: begins another history, after the database was set back.
public struct BeginHistoryRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/history", name: "beginHistory",
        summary: "Starts a new history of the database, so that clients sync again",
        access: .administer)
    public typealias Item = StoreState

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `GET /v1/admin/export`: streams an export in the format of `Exporter`.
public struct ExportRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/export", name: "exportRecords",
        summary: "Exports everything", access: .administer)
    public typealias Item = RawBody

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `POST /v1/admin/restorations`: sends lines of an export to the process that owns the file.
public struct RestoreRecordsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/restorations", name: "restoreRecords",
        summary: "Restores records of an export", access: .administer)
    public typealias Item = RestoreCounts

    public static let parameters = Parameters(
        Self.init(mode:lines:), .query("mode", \.mode, .choice),
        .bytes(\.lines, mediaTypes: ["application/x-ndjson"]))

    /// The choice between storing the records and a dry run.
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
        .required("unchanged", \.unchanged, .integer(0...Int.max)),
        .defaulted("changes", to: 0, \.changes, .integer(0...Int.max)))
}
