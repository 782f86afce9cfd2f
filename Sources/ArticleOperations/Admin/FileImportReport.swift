public import ArticleAPI
import ArticleImportExport

/// The outcome of importing a file, as `broadsheet import` reports it.
public struct FileImportReport: Sendable, Hashable {
    public var created: Int
    public var updated: Int
    public var unchanged: Int
    /// Articles that were edited here since they were imported, and kept.
    public var keptEdits: Int
    /// Articles that were deleted here since they were imported, and stay deleted.
    public var deletedHere: Int
    /// Articles that were deleted here, and are as in the file again.
    public var restored: Int
    /// These three only of exports.
    public var users: Int
    public var comments: Int
    public var bookmarks: Int
    /// The number of articles that were not imported, and the faults of the first 1,000 of these.
    public var failed: Int
    public var failures: [Fault]
    /// Attributes that were left out, and the first 1,000 of these.
    public var leftOut: Int
    public var omissions: [Fault]

    public struct Fault: Sendable, Hashable {
        /// From 1; `nil` if the whole file is meant.
        public var line: Int?
        public var reason: String
    }

    init(_ report: ImportReport) {
        created = report.created
        updated = report.updated
        unchanged = report.unchanged
        keptEdits = report.keptEdits
        deletedHere = report.deletedHere
        restored = report.restored
        users = report.users
        comments = report.comments
        bookmarks = report.bookmarks
        failed = report.failed
        // Paths are those of this machine.
        failures = report.failures.map { Fault(line: $0.line, reason: $0.reason.onOneLine) }
        leftOut = report.leftOut
        omissions = report.omissions.map { Fault(line: $0.line, reason: $0.reason.onOneLine) }
    }

    private init(
        created: Int, updated: Int, unchanged: Int, keptEdits: Int, deletedHere: Int,
        restored: Int, users: Int, comments: Int, bookmarks: Int, failed: Int, failures: [Fault],
        leftOut: Int, omissions: [Fault]
    ) {
        self.created = created
        self.updated = updated
        self.unchanged = unchanged
        self.keptEdits = keptEdits
        self.deletedHere = deletedHere
        self.restored = restored
        self.users = users
        self.comments = comments
        self.bookmarks = bookmarks
        self.failed = failed
        self.failures = failures
        self.leftOut = leftOut
        self.omissions = omissions
    }
}

extension FileImportReport: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(
            created:updated:unchanged:keptEdits:deletedHere:restored:users:comments:bookmarks:
            failed:failures:leftOut:omissions:),
        .required("created", \.created, .integer(0...Int.max)),
        .required("updated", \.updated, .integer(0...Int.max)),
        .required("unchanged", \.unchanged, .integer(0...Int.max)),
        .required("keptEdits", \.keptEdits, .integer(0...Int.max)),
        .required("deletedHere", \.deletedHere, .integer(0...Int.max)),
        .required("restored", \.restored, .integer(0...Int.max)),
        .required("users", \.users, .integer(0...Int.max)),
        .required("comments", \.comments, .integer(0...Int.max)),
        .required("bookmarks", \.bookmarks, .integer(0...Int.max)),
        .required("failed", \.failed, .integer(0...Int.max)),
        .required("failures", \.failures, .array(of: Fault.format, limit: 1_000)),
        .required("leftOut", \.leftOut, .integer(0...Int.max)),
        .required("omissions", \.omissions, .array(of: Fault.format, limit: 1_000)))
}

extension FileImportReport.Fault: JSONModel {
    public static let shape = ObjectCodec(
        Self.init, .optional("line", \.line, .integer(1...Int.max)),
        .required("reason", \.reason, .text(.lines(0...10_000))))
}
