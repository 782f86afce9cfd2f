public import ArticleAPI
public import ArticleStore
import HTTP

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
