import ArticleAPI
import ArticleStore

/// One import under way: what waits for the store, and what was said so far.
///
/// Articles go to the store in batches, each of which is one durable step.
struct ImportRun {
    let importer: Importer
    var report = ImportReport()
    private let progress: (ImportProgress) -> Void
    private let totalBytes: Int
    private var doneBytes = 0
    private var batch: [Waiting] = []
    private var batchBytes = 0
    private var lastID: Article.ID?

    /// An article that waits, and where it stands.
    private struct Waiting {
        var item: ImportItem
        var path: String
        var line: Int?
        var omissions: [FrontMatter.LeftOut]
    }

    /// The store remembers the pages that each touches, to undo it alone: some 100 KiB an article.
    static let batchItems = 100
    /// Bytes of bodies.
    static let batchBytes = 4 * 1024 * 1024

    init(
        _ importer: Importer, totalBytes: Int, _ progress: @escaping (ImportProgress) -> Void
    ) {
        self.importer = importer
        self.totalBytes = totalBytes
        self.progress = progress
    }

    /// Counts bytes of files as done.
    mutating func finish(bytes: Int) { doneBytes += bytes }

    /// Tells how far the import is.
    func tellProgress() {
        progress(
            ImportProgress(
                done: min(doneBytes, totalBytes), total: totalBytes,
                articles: report.articles + batch.count))
    }

    /// Takes an article that stands on a line of a file (`nil`: makes up the file).
    mutating func add(
        _ item: ImportItem, path: String, line: Int?, omissions: [FrontMatter.LeftOut] = []
    ) async throws(InterchangeError) {
        batch.append(Waiting(item: item, path: path, line: line, omissions: omissions))
        batchBytes += item.content.body.utf8.count
        if batch.count >= Self.batchItems || batchBytes >= Self.batchBytes { try await flush() }
    }

    /// Gives the store what waits.
    mutating func flush() async throws(InterchangeError) {
        defer { tellProgress() }
        guard !batch.isEmpty else { return }
        let results: [Result<ImportOutcome, StoreError>]
        do {
            results = try await importer.store.importArticles(
                batch.map(\.item), by: Edit(at: importer.now(), editor: nil),
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

    /// What the store takes of a draft that the contract accepts; `nil` if the services do not, and
    /// then it is reported.
    ///
    /// - Parameter bytes: what tells this import from the next, with the options.
    mutating func item(
        of draft: Article.Draft, identity: String, bytes: [UInt8], path: String, line: Int
    ) -> ImportItem? {
        let now = importer.now()
        let language = importer.language.text
        do throws(ServiceError) {
            let rendered = try importer.markdown.renderNow(draft.body)
            var content = try ArticleContent(
                draft, rendered: rendered, defaultLanguage: language, at: now)
            // Without a time the store gives it that of its first import.
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

    /// A new id above those before it (RFC 9562 §6.2, method 2): articles of one moment stand in
    /// the order of their files.
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
    /// What is wrong with a draft.
    fileprivate var sentence: String {
        guard case .invalid(let details) = self, let first = details.first else { return "\(self)" }
        guard case .pointer(let pointer)? = first.place else { return first.detail }
        return "\(pointer) \(first.detail)"
    }
}
