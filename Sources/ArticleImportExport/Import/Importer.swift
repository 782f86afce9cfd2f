package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetPlatform
import BroadsheetResources

/// Imports files: Markdown with front matter, articles as JSON lines, exports, and those of
/// WordPress and Ghost.
///
/// An article is identified by its file: by the path beginning with the given folder's name
/// (`posts-en/2016-02-01-hello.md`), and for JSON lines also by its `id`, else its `slug`, else its
/// title. Importing again changes nothing, a modified file updates its article, and an article that
/// was edited or deleted through the API is kept so. Posts without a date are published as of their
/// first import.
///
/// A file with a new path is recognized if exactly one file was imported before with the longest
/// common end of both paths, which is at least its name (for `index.md` with its folder), and with
/// the same title or slug (`FormerPathMatcher`).
///
/// JSON lines are either bodies of `POST /v1/articles` or an export (`Exporter`), which is restored
/// with its ids, revisions and tombstones, into an empty store only, which may have users. All
/// lines of an export are validated before any of it is restored.
///
/// Files are read with blocking calls on the caller's executor: do not call it from an event loop.
public struct Importer: Sendable {
    let store: any ImportDestination
    let language: LanguageTag
    let isDryRun: Bool
    let isAsDrafts: Bool
    let restoresDeleted: Bool
    /// True if the paths of recognized files stay as they are recorded, because those of this
    /// import are only names.
    let keepsPaths: Bool
    /// The URL of the site of an export of Ghost.
    let siteURL: String?
    let markdown: MarkdownRenderer
    package let system: SystemEnvironment

    /// - Parameters:
    ///   - language: the language of articles that do not specify one.
    ///   - isDryRun: only reports the outcome. Each batch is examined separately, so that conflicts
    ///     between articles of different batches may be missed.
    ///   - isAsDrafts: imports all articles as drafts.
    ///   - restoresDeleted: restores articles that were deleted here since they were imported.
    ///   - keepsPaths: true if files are known by names alone, which do not replace the paths of
    ///     earlier imports.
    ///   - siteURL: makes the addresses in an export of Ghost absolute.
    package init(
        store: any ImportDestination, language: LanguageTag, isDryRun: Bool = false,
        isAsDrafts: Bool = false, restoresDeleted: Bool = false, keepsPaths: Bool = false,
        siteURL: String? = nil,
        markdown: MarkdownRenderer? = nil,
        system: SystemEnvironment
    ) {
        self.store = store
        self.language = language
        self.isDryRun = isDryRun
        self.isAsDrafts = isAsDrafts
        self.restoresDeleted = restoresDeleted
        self.keepsPaths = keepsPaths
        self.siteURL = siteURL
        self.markdown = markdown ?? MarkdownRenderer(system: system)
        self.system = system
    }

    /// Imports files and folders. Faulty files are reported and do not stop the import.
    ///
    /// - Parameters:
    ///   - paths: files, and folders including their contents.
    ///   - progress: called after each batch.
    /// - Throws: an error that aborts the import. Articles imported before are kept.
    public func run(
        _ paths: [String], progress: @escaping (ImportProgress) -> Void = { _ in }
    ) async throws(InterchangeError) -> ImportReport {
        let found = ImportFiles(paths)
        return try await run(
            found.files, faults: found.faults, notes: found.notes, progress: progress)
    }

    /// Imports files whose identities are known.
    ///
    /// - Parameters:
    ///   - faults: The arguments that could not be read.
    ///   - notes: The files that were skipped.
    package func run(
        _ files: [ImportFile], faults: [ImportFault] = [], notes: [ImportFault] = [],
        progress: @escaping (ImportProgress) -> Void = { _ in }
    ) async throws(InterchangeError) -> ImportReport {
        let totalBytes = files.reduce(0) { $0 + $1.sizeBytes }
        var run = ImportRun(self, files: files, totalBytes: totalBytes, progress)
        for fault in faults { run.report.fail(fault.path, fault.reason) }
        run.report.omit(notes)
        for file in files {
            switch file.format {
            case .markdown: try await run.takePost(file)
            case .lines: try await run.takeLines(file)
            case .document, .unknown, .other: try await run.takeUnknown(file)
            }
        }
        try await run.flush()
        return run.report
    }

    /// Imports the sample articles embedded in the binary.
    public func runSamples() async throws(InterchangeError) -> ImportReport {
        let table = broadsheet_samples()
        let samples = UnsafeBufferPointer(start: table.first, count: table.count)
        let totalBytes = samples.reduce(0) { $0 + $1.size }
        var run = ImportRun(self, files: [], totalBytes: totalBytes) { _ in }
        for sample in samples {
            let name = String(cString: sample.name)
            let bytes = [UInt8](UnsafeBufferPointer(start: sample.bytes, count: sample.size))
            let file = ImportFile(
                path: name, identity: "samples/\(name)", sizeBytes: sample.size, format: .markdown)
            try await run.takePost(bytes, of: file)
        }
        try await run.flush()
        return run.report
    }
}

/// The outcome of an import.
public struct ImportReport: Sendable, Hashable {
    /// New articles; for an export, all restored articles including tombstones.
    public internal(set) var created = 0
    /// The file changed, and the article had not been edited since the last import.
    public internal(set) var updated = 0
    /// The file did not change; for an export, articles that already existed.
    public internal(set) var unchanged = 0
    /// The file changed, but the article was edited through the API, so the edit was kept.
    public internal(set) var keptEdits = 0
    /// The article was deleted here, and stays deleted.
    public internal(set) var deletedHere = 0
    /// The article was deleted here, and is as in the file again.
    public internal(set) var restored = 0
    /// The numbers of records of exports, including those that existed already.
    public internal(set) var users = 0
    public internal(set) var comments = 0
    public internal(set) var bookmarks = 0
    /// Files and lines that were not imported.
    public internal(set) var failed = 0
    /// The first `limitFaults` of these, in import order.
    public internal(set) var failures: [ImportFault] = []
    /// The number of omissions in imported posts, such as images without an absolute URL, and of
    /// other notes about them for the operator.
    public internal(set) var leftOut = 0
    /// The first `limitFaults` of these.
    public internal(set) var omissions: [ImportFault] = []

    public static let limitFaults = 1_000

    /// All articles that were processed successfully.
    public var articles: Int {
        created + updated + unchanged + keptEdits + deletedHere + restored
    }

    /// Adds the users, comments and bookmarks of an export.
    mutating func addPeople(_ counts: ExportCounts) {
        users += counts.users
        comments += counts.comments
        bookmarks += counts.bookmarks
    }

    mutating func fail(_ path: String, line: Int? = nil, _ reason: String) {
        fail(ImportFault(path: path, line: line, reason: reason))
    }

    mutating func fail(_ fault: ImportFault) {
        failed += 1
        if failures.count < Self.limitFaults { failures.append(fault) }
    }

    mutating func omit(_ omissions: [ImportFault]) {
        leftOut += omissions.count
        self.omissions += omissions.prefix(max(0, Self.limitFaults - self.omissions.count))
    }
}

/// The progress of an import.
public struct ImportProgress: Sendable, Hashable {
    /// Processed bytes; never more than `total`.
    public var done: Int
    /// Bytes of all files.
    public var total: Int
    /// Articles processed so far, regardless of their outcome.
    public var articles: Int
}
