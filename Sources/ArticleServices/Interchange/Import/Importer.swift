public import ArticleAPI
public import ArticleStore
import Resources

/// Imports files: Markdown with YAML front matter, articles as JSON lines, and exports.
///
/// An article is identified by its file: by the path beginning with the given folder's name
/// (`posts-en/2016-02-01-hello.md`), and for JSON lines also by its `id`, else its `slug`, else its
/// title. Importing again changes nothing, a modified file updates its article, and an article that
/// was edited through the API is kept. Posts without a date are published as of their first import.
///
/// JSON lines are either bodies of `POST /v1/articles` or an export (`Exporter`), which is restored
/// with its ids, revisions and tombstones, into an empty store only. An export is validated
/// completely before any of it is restored.
///
/// Files are read with blocking calls on the caller's executor: do not call it from an event loop.
public struct Importer: Sendable {
    let store: any ImportDestination
    let language: LanguageTag
    let isDryRun: Bool
    let markdown: MarkdownRenderer
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - language: the language of articles that do not specify one.
    ///   - isDryRun: only reports what would happen. Each batch is examined separately, so that
    ///     conflicts between articles of different batches may be missed.
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

    /// Imports files and folders. Faulty files are reported and do not stop the import.
    ///
    /// - Parameters:
    ///   - paths: files, and folders including their contents.
    ///   - progress: called after each batch.
    /// - Throws: an error that aborts the import. What was imported before is kept.
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

    /// Imports the sample articles embedded in the binary.
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
