public import ArticleAPI
public import ArticleStore
import Resources

/// Takes files in: Markdown with YAML front matter, articles as lines of JSON, and exports.
///
/// An article is known by its file: by the path from the given folder's name on
/// (`posts-en/2016-02-01-hello.md`), and for a line of JSON also by its `id`, else its `slug`, else
/// its title. So a second import changes nothing, a file that changed updates its article, and an
/// article that was edited through the API stands. Posts without a date are published as of their
/// first import.
///
/// Lines of JSON are what `POST /v1/articles` takes, or an export (`Exporter`), which is restored
/// with its ids, revisions and tombstones, into an empty store only. An export is checked whole
/// before anything of it is restored.
///
/// Files are read by blocking calls on the caller's executor: never call it from an event loop.
public struct Importer: Sendable {
    let store: any ImportDestination
    let language: LanguageTag
    let isDryRun: Bool
    let markdown: MarkdownRenderer
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - language: of articles that name none.
    ///   - isDryRun: only says what would happen. It looks at each batch by itself: that two files
    ///     ask for one slug may escape it.
    public init(
        store: any ImportDestination, language: LanguageTag, isDryRun: Bool = false,
        markdown: MarkdownRenderer = MarkdownRenderer(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.language = language
        self.isDryRun = isDryRun
        self.markdown = markdown
        self.now = now
    }

    /// Imports files and folders. What is wrong with one file is reported, and the rest goes on.
    ///
    /// - Parameters:
    ///   - paths: files, and folders with all that is in them.
    ///   - progress: is told how far it is, after each batch.
    /// - Throws: what keeps all of the rest out. What came in before that stays.
    public func run(
        _ paths: [String], progress: @escaping (ImportProgress) -> Void = { _ in }
    ) async throws(InterchangeError) -> ImportReport {
        let found = ImportFiles(paths)
        let totalBytes = found.files.reduce(0) { $0 + $1.sizeBytes }
        var run = ImportRun(self, totalBytes: totalBytes, progress)
        for fault in found.faults { run.report.fail(fault.path, fault.reason) }
        for file in found.files {
            switch file.format {
            case .markdown: try await run.takePost(file)
            case .lines: try await run.takeLines(file)
            case .unknown where run.looksLikeLines(file): try await run.takeLines(file)
            case .unknown: try await run.takePost(file)
            }
        }
        try await run.flush()
        return run.report
    }

    /// Imports the articles that the binary carries.
    public func runSamples() async throws(InterchangeError) -> ImportReport {
        let table = broadsheet_samples()
        let samples = UnsafeBufferPointer(start: table.first, count: table.count)
        var run = ImportRun(self, totalBytes: samples.reduce(0) { $0 + $1.size }) { _ in }
        for sample in samples {
            let name = String(cString: sample.name)
            let bytes = [UInt8](UnsafeBufferPointer(start: sample.bytes, count: sample.size))
            try await run.takePost(bytes, name: name, path: name, identity: "samples/\(name)")
        }
        try await run.flush()
        return run.report
    }
}
