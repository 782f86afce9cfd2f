import ArticleAPI
import ArticleStore

/// One running import: articles buffered for the store, and the report so far.
///
/// Articles are sent to the store in batches, each of which is one durable step.
struct ImportRun {
    let importer: Importer
    var report = ImportReport()
    private let progress: (ImportProgress) -> Void
    private let totalBytes: Int
    private var doneBytes = 0
    private var batch: [Waiting] = []
    private var batchBytes = 0
    private var lastID: Article.ID?

    /// A buffered article and its location.
    private struct Waiting {
        var item: ImportItem
        var path: String
        var line: Int?
        var omissions: [FrontMatter.LeftOut]
    }

    /// Maximum number of articles in a batch. The store keeps the pages that each modifies for a
    /// rollback: about 100 KiB per article.
    static let batchItems = 100
    /// Maximum size of the bodies in a batch.
    static let batchBytes = 4 * 1024 * 1024

    init(
        _ importer: Importer, totalBytes: Int, _ progress: @escaping (ImportProgress) -> Void
    ) {
        self.importer = importer
        self.totalBytes = totalBytes
        self.progress = progress
    }

    /// Adds processed bytes of the files.
    mutating func finish(bytes: Int) { doneBytes += bytes }

    /// Reports the progress of the import.
    func reportProgress() {
        progress(
            ImportProgress(
                done: min(doneBytes, totalBytes), total: totalBytes,
                articles: report.articles + batch.count))
    }

    /// Adds an article from a line of a file (`nil` if it is the whole file).
    mutating func add(
        _ item: ImportItem, path: String, line: Int?, omissions: [FrontMatter.LeftOut] = []
    ) async throws(InterchangeError) {
        batch.append(Waiting(item: item, path: path, line: line, omissions: omissions))
        batchBytes += item.content.body.utf8.count
        if batch.count >= Self.batchItems || batchBytes >= Self.batchBytes { try await flush() }
    }

    /// Sends buffered articles to the store.
    mutating func flush() async throws(InterchangeError) {
        defer { reportProgress() }
        guard !batch.isEmpty else { return }
        let results: [Result<ImportOutcome, StoreError>]
        do {
            results = try await importer.store.importArticles(
                batch.map(\.item), by: Edit(at: importer.now(), by: .operator),
                dryRun: importer.isDryRun)
        } catch { throw .store(error) }
        for (waiting, result) in zip(batch, results) {
            switch result {
            case .success(.created):
                report.created += 1
                report.omit(waiting.omissions, in: waiting.path)
            case .success(.updated):
                report.updated += 1
                report.omit(waiting.omissions, in: waiting.path)
            case .success(.unchanged): report.unchanged += 1
            case .success(.keptEdits): report.keptEdits += 1
            case .failure(let error):
                report.fail(waiting.path, line: waiting.line, error.sentence)
            }
        }
        batch.removeAll(keepingCapacity: true)
        batchBytes = 0
    }

    /// The import item for a draft that passed the contract's validation; `nil` if the services
    /// reject it, which is reported.
    ///
    /// - Parameter bytes: the source, which is hashed with the options to detect changes in later
    ///   imports.
    mutating func item(
        of draft: Article.Draft, identity: String, bytes: [UInt8], path: String, line: Int
    ) -> ImportItem? {
        let now = importer.now()
        let language = importer.language.text
        do throws(ServiceError) {
            let rendered = try importer.markdown.renderNow(draft.body)
            var content = try ArticleContent(
                draft, rendered: rendered, defaultLanguage: language, at: now)
            // Without a time, the store uses the time of the first import.
            content.publishedAt = draft.publishedAt
            return ImportItem(
                path: identity, digest: Digest.sha256(Array("\(language)\n".utf8) + bytes),
                id: draft.id ?? nextID(at: now), content: content,
                keepsSlug: draft.slug == nil)
        } catch {
            report.fail(path, line: line, error.sentence)
            return nil
        }
    }

    /// A new id that is greater than the previous ones (RFC 9562 §6.2, method 2), so that articles
    /// created in the same millisecond keep the order of their files.
    private mutating func nextID(at now: Timestamp) -> Article.ID {
        var id = Article.ID(at: now)
        if let lastID, id <= lastID {
            id = Article.ID(high: lastID.high, low: lastID.low + 1) ?? id
        }
        lastID = id
        return id
    }
}

extension ServiceError {
    /// The first fault of a draft as a phrase.
    fileprivate var sentence: String {
        guard case .invalid(let details) = self, let first = details.first else { return "\(self)" }
        guard case .pointer(let pointer)? = first.place else { return first.detail }
        return "\(pointer) \(first.detail)"
    }
}
