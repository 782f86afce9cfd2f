package import ArticleAPI
import ArticleServiceCore
package import ArticleStore
import BroadsheetPlatform

/// One running import: articles buffered for the store, and the report so far.
///
/// Articles are sent to the store in batches, each of which is one durable step.
package struct ImportRun {
    let importer: Importer
    var report = ImportReport()
    private let progress: (ImportProgress) -> Void
    private let totalBytes: Int
    private var doneBytes = 0
    private var batch: [Waiting] = []
    private var batchBytes = 0
    private var lastID: Article.ID?
    private let origins: FormerPathMatcher

    /// A buffered article and its location.
    private struct Waiting {
        var item: ImportItem
        var path: String
        var line: Int?
        /// The identifier within its file, if no line identifies it.
        var key: String?
        var omissions: [ImportFault]

        /// A fault or a note that concerns it.
        func fault(_ reason: String) -> ImportFault {
            ImportFault(path: path, line: line, reason: key.map { "\($0): \(reason)" } ?? reason)
        }
    }

    /// Maximum number of articles in a batch. The store keeps the pages that each modifies for a
    /// rollback: about 100 KiB per article.
    package static let batchItems = 100
    /// Maximum size of the bodies in a batch.
    static let batchBytes = 4 * 1024 * 1024

    /// - Parameter files: all files of the import.
    init(
        _ importer: Importer, files: [ImportFile], totalBytes: Int,
        _ progress: @escaping (ImportProgress) -> Void
    ) {
        self.importer = importer
        self.totalBytes = totalBytes
        origins = FormerPathMatcher(files)
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

    /// Reports progress within a file, by the number of its bytes, before any of its articles.
    var byteProgress: (Int) -> Void {
        let (progress, before, total) = (progress, doneBytes, totalBytes)
        let articles = report.articles
        return { bytes in
            progress(
                ImportProgress(done: min(before + bytes, total), total: total, articles: articles))
        }
    }

    /// Adds an article from a line of a file (`nil` if it is the whole file). Its key identifies it
    /// in its file.
    mutating func add(
        _ item: ImportItem, path: String, line: Int?, key: String? = nil,
        omissions: [ImportFault] = []
    ) async throws(InterchangeError) {
        batch.append(Waiting(item: item, path: path, line: line, key: key, omissions: omissions))
        batchBytes += item.content.draft.body.utf8.count + 100 * item.formerSlugs.count
        if batch.count >= Self.batchItems || batchBytes >= Self.batchBytes { try await flush() }
    }

    /// Sends buffered articles to the store, and again those that turned out to be like others.
    mutating func flush() async throws(InterchangeError) {
        defer { reportProgress() }
        if Task.isCancelled { throw .cancelled }
        while !batch.isEmpty {
            let sent = batch
            let results: [Result<ImportOutcome, StoreError>]
            do {
                results = try await importer.store.importArticles(
                    sent.map(\.item), by: Edit(at: importer.system.now, by: .operator),
                    dryRun: importer.isDryRun)
            } catch { throw .store(error) }
            (batch, batchBytes) = ([], 0)
            for (waiting, result) in zip(sent, results) { take(result, of: waiting) }
        }
    }

    private mutating func take(
        _ result: Result<ImportOutcome, StoreError>, of waiting: Waiting
    ) {
        switch result {
        case .success(.created):
            report.created += 1
            report.omit(waiting.omissions)
        case .success(.updated):
            report.updated += 1
            report.omit(waiting.omissions)
        case .success(.restored):
            report.restored += 1
            report.omit(waiting.omissions)
        case .success(.unchanged): report.unchanged += 1
        case .success(.keptEdits): report.keptEdits += 1
        case .success(.deleted(let time)):
            report.deletedHere += 1
            let day = time.description.prefix(10)
            report.omit([waiting.fault("it was deleted here on \(day), and was not imported")])
        case .success(.similar(let paths)): recognize(waiting, among: paths)
        case .failure(let error): report.fail(waiting.fault(error.sentence))
        }
    }

    /// Buffers the article again as new or as that of an earlier import; reports it if that is not
    /// clear.
    private mutating func recognize(_ waiting: Waiting, among paths: [String]) {
        var waiting = waiting
        waiting.item.recognition = .path
        switch origins.origin(of: waiting.item.path, among: paths) {
        case .new: break
        case .path(let path):
            waiting.omissions.insert(waiting.fault("it was imported as \(path) before"), at: 0)
            if importer.keepsPaths {
                waiting.item.path = path
            } else {
                waiting.item.recognition = .movedFrom(path)
            }
        case .unclear(let paths):
            let more = paths.count > 5 ? " and \(paths.count - 5) more" : ""
            report.fail(
                waiting.fault(
                    "it could be the article imported from "
                        + "\(paths.prefix(5).joined(separator: ", "))\(more): its path is "
                        + "ambiguous, so it was not imported"))
            return
        }
        batch.append(waiting)
    }

    /// Returns the import item for a draft that passed the contract's validation; `nil` if the
    /// services reject it, which is reported.
    ///
    /// - Parameters:
    ///   - bytes: the source, which is hashed with the options to detect changes in later imports.
    ///   - isHeld: true if its folder or the time gave it another status than the source has.
    package mutating func item(
        of draft: Article.Draft, identity: String, bytes: [UInt8], path: String, line: Int,
        isHeld: Bool = false
    ) -> ImportItem? {
        let now = importer.system.now
        let language = importer.language.text
        var draft = draft
        if importer.isAsDrafts { draft.status = .draft }
        let options =
            "\(language)\n" + (importer.isAsDrafts ? "as drafts\n" : "")
            + (isHeld ? "held\n" : "")
        do {
            let rendered = try importer.markdown.renderNow(draft.body)
            let content = try ArticleContent(
                of: draft, in: rendered, defaultLanguage: language)
            var item = ImportItem(
                path: identity, digest: Digest.sha256(Array(options.utf8) + bytes),
                id: draft.id ?? nextID(at: now), content: content,
                keepsSlug: draft.slug == nil)
            item.recognition = .likeness(slug: content.slug.text)
            item.restoresDeleted = importer.restoresDeleted
            return item
        } catch {
            report.fail(path, line: line, ServiceError(error).sentence)
            return nil
        }
    }

    /// A new id that is greater than the previous ones (RFC 9562 §6.2, method 2), so that articles
    /// created in the same millisecond keep the order of their files.
    private mutating func nextID(at now: Timestamp) -> Article.ID {
        var id: Article.ID = importer.system.newID(at: now)
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
        if case .failed(let cause) = self { return cause }
        guard case .invalid(let details) = self, let first = details.first else { return "\(self)" }
        guard case .pointer(let pointer)? = first.place else { return first.detail }
        return "\(pointer) \(first.detail)"
    }
}

extension ImportRun {
    /// Maximum file size in bytes: the largest body plus the largest front matter.
    static let limitPostBytes = ArticleLimits.bodyBytes + FrontMatter.limitBytes

    /// Imports a Markdown file.
    mutating func takePost(_ file: ImportFile) async throws(InterchangeError) {
        defer { finish(bytes: file.sizeBytes) }
        guard !file.isSectionPage else {
            return skip(file, "is a section page of Hugo, not a post")
        }
        var bytes: [UInt8]?
        do throws(SystemError) {
            // The size is checked first, so that an oversized file is not read.
            if file.sizeBytes <= Self.limitPostBytes {
                bytes = try FileReader.bytes(of: file.path, limitBytes: Self.limitPostBytes)
            }
        } catch {
            return report.fail(file.path, error.reason)
        }
        guard let bytes else {
            return report.fail(file.path, "is larger than \(Self.limitPostBytes) bytes")
        }
        try await takePost(bytes, of: file)
    }

    /// Imports the contents of a Markdown file.
    mutating func takePost(
        _ bytes: [UInt8], of file: ImportFile
    ) async throws(InterchangeError) {
        let path = file.path
        let post: MarkdownPost
        do throws(FrontMatterError) {
            try MarkdownPost.checkContent(bytes)
            post = try MarkdownPost(bytes, name: file.postName)
        } catch {
            return report.fail(path, line: error.line, error.description)
        }
        if file.isAboutFolder, !post.hasFrontMatter, !file.isNamed {
            return skip(file, "has no front matter and is about its folder")
        }
        var (draft, notes) = post.imported(
            at: importer.system.now, hiddenBy: file.hiddenBy ?? file.hidingName)
        let cuts = draft.fit()
        if let fault = draft.faults.first {
            let line = post.line(ofFaultAt: fault.path)
            return report.fail(path, line: line, "\(fault.path) \(fault.message)")
        }
        guard
            var item = item(
                of: draft, identity: file.identity, bytes: bytes, path: path, line: 1,
                isHeld: draft.status != post.draft.status)
        else { return }
        item.content.slug = post.slugChoice
        item.keepsSlug = post.frontMatter.slug == nil
        // A slug that is the name of the file says no more than that.
        let isName = post.frontMatter.slug == nil && post.addressName != nil
        item.recognition = .likeness(slug: isName ? nil : item.content.slug.text)
        var omissions = notes.map { ImportFault(path: path, line: $0.line, reason: $0.description) }
        for cut in cuts {
            let line = post.line(of: cut.attribute)
            omissions.append(
                ImportFault(path: path, line: line, reason: "\(cut.attribute) \(cut.note)"))
        }
        try await add(item, path: path, line: nil, omissions: omissions)
    }

    /// Reports a file that is no article: as a failure if it was named itself.
    private mutating func skip(_ file: ImportFile, _ reason: String) {
        if file.isNamed { return report.fail(file.path, reason) }
        report.omit([ImportFault(path: file.path, line: nil, reason: "\(reason): it was skipped")])
    }
}

extension ImportRun {
    /// Number of records that are committed in one step.
    static let restoreRecords = 500

    /// Restores an export.
    ///
    /// The file is read twice. The first pass validates all of it, so that a truncated or damaged
    /// export changes nothing. The second pass compares leading records with the store, where they
    /// must be equal, and restores the rest. The store must not contain anything else: it is either
    /// empty, or an earlier restoration of the same export was interrupted.
    package mutating func restore(_ file: ImportFile, version: Int) async throws(InterchangeError) {
        // Buffered articles precede this file, and count as other content of the store.
        try await flush()
        var finished = 0
        defer { finish(bytes: file.sizeBytes - finished) }
        guard check(file, version: version, &finished), var reader = lines(of: file) else { return }
        var restoration = RecordRestorer(importer, path: file.path)
        var history = ExportRecordReader(version: version, now: importer.system.now)
        while let line = next(&reader, of: file), restoration.isGoingOn {
            // The first line is the header and the last one the end: neither is a record.
            if line.number > 1 {
                let record = line.record(version: version)
                if let (record, line) = history.next(record.map { ($0, line) }) {
                    try await restoration.take(record, line, &report)
                }
            }
            let half = file.sizeBytes / 2 + min(reader.offset, file.sizeBytes) / 2
            finish(bytes: half - finished)
            finished = half
            if restoration.isBatchTaken { reportProgress() }
        }
        try await restoration.flush(&report)
    }

    /// Returns true if all lines of an export are valid; reports the first one that is not.
    private mutating func check(
        _ file: ImportFile, version: Int, _ finished: inout Int
    ) -> Bool {
        guard var reader = lines(of: file), next(&reader, of: file) != nil else { return false }
        var order = ExportOrderValidator()
        var lastLine = 1
        do throws(LineFault) {
            while let line = next(&reader, of: file) {
                lastLine = line.number
                guard let content = try ExportLine(line.json().value, version: version)
                else {
                    throw LineFault(reason: "$.kind is not the kind of a line")
                }
                try order.take(content)
                let half = min(reader.offset, file.sizeBytes) / 2
                finish(bytes: half - finished)
                finished = half
                if line.number.isMultiple(of: Self.restoreRecords) { reportProgress() }
            }
            try order.finish()
            return true
        } catch {
            report.fail(
                file.path, line: lastLine, "\(error.reason); nothing was restored")
            return false
        }
    }
}

extension LineReader.Line {
    /// The record of a line that has been validated.
    fileprivate func record(version: Int) -> ExportRecord? {
        guard let value = try? json().value,
            case .record(let record)? = try? ExportLine(value, version: version)
        else { return nil }
        return record
    }
}
