package import ArticleAPI
import ArticleStore
import BroadsheetMarkup
import BroadsheetPlatform

/// Imports the exports of other programs. Each post is identified by the file and its own number
/// (`blog.xml#post:12`).
extension ImportRun {
    // MARK: WordPress

    /// Imports an export of WordPress, which may have any size.
    mutating func takeWordPress(_ file: ImportFile) async throws(InterchangeError) {
        try await flush()
        let before = report
        let source = BlogSource(file.path, progress: byteProgress)
        var finished = 0
        var names: Set<Int> = []
        var others: [String: Int] = [:]
        defer { finish(bytes: file.sizeBytes - finished) }
        var export: WordPressExport
        do throws(XMLError) {
            export = try WordPressExport { () throws(XMLError) in source.reader() }
        } catch { return report.fail(file.path, line: error.line, error.phrase) }
        // From here on, batches report the progress.
        source.progress = nil
        while let item = next(&export, of: file) {
            let line = export.line
            let place = min(source.readBytes / 2, file.sizeBytes)
            finish(bytes: place - finished)
            finished = place
            switch item {
            case .other(let kind): others[kind, default: 0] += 1
            case .rejected(let key, let reason):
                report.fail(file.path, line: line, "\(key): \(reason)")
            case .post(let post):
                guard isNew(post.key, line: line, in: file, &names) else { break }
                try await take(post, of: file, line: line)
            }
        }
        if export.comments > 0 { others["comments"] = export.comments }
        let notes = others.sorted { $0.key < $1.key }.map { kind, count in
            ImportFault(
                path: file.path, line: nil, reason: "\(kind) were not imported: \(count)")
        }
        try await note(notes + Self.notes(export.repairs, of: file), since: before)
    }

    private static func notes(_ repairs: XMLRepairs, of file: ImportFile) -> [ImportFault] {
        var notes = repairs.list.map {
            ImportFault(path: file.path, line: $0.line, reason: $0.phrase)
        }
        let others = repairs.count - repairs.list.reduce(0) { $0 + $1.count }
        if others > 0 {
            notes.append(
                ImportFault(path: file.path, line: nil, reason: "further repairs: \(others)"))
        }
        return notes
    }

    /// `nil` at the end, and after an error, which is reported.
    private mutating func next(
        _ export: inout WordPressExport, of file: ImportFile
    ) -> WordPressExport.Item? {
        do throws(XMLError) { return try export.next() } catch {
            report.fail(file.path, line: error.line, "\(error.phrase); the rest was not imported")
            return nil
        }
    }

    // MARK: Ghost

    /// Imports an export of Ghost with the redirects beside it.
    mutating func takeGhost(
        _ value: JSONValue, of file: ImportFile
    ) async throws(InterchangeError) {
        var finished = 0
        defer { finish(bytes: file.sizeBytes - finished) }
        var redirects = GhostRedirects()
        var notes: [ImportFault] = []
        do throws(ImportFault) {
            if file.hasCompanions { redirects = try .beside(file.path) }
        } catch { notes.append(error) }
        try await flush()
        let before = report
        let export: GhostExport
        do throws(LineFault) {
            export = try GhostExport(value, redirects: redirects, siteURL: importer.siteURL)
        } catch { return report.fail(file.path, error.reason) }
        var names: Set<Int> = []
        for index in 0..<export.count {
            switch export.post(at: index) {
            case .failure(let fault):
                report.fail(file.path, "post \(index + 1): \(fault.reason)")
            case .success(let post):
                guard isNew(post.key, line: nil, in: file, &names) else { break }
                try await take(post, of: file, line: nil)
            }
            let place = file.sizeBytes / export.count * (index + 1)
            finish(bytes: place - finished)
            finished = place
        }
        try await note(notes, since: before)
    }

    /// A file that is one value.
    package static func json(_ path: String) throws(LineFault) -> JSONValue {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try FileReader.bytes(of: path, limitBytes: GhostExport.limitBytes)
        } catch { throw LineFault(reason: error.reason) }
        guard var bytes else {
            throw LineFault(
                reason: "is larger than \(GhostExport.limitBytes >> 20) MiB: export fewer posts")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        do throws(JSONSyntaxError) {
            return try JSONParser.parse(bytes, limitValues: GhostExport.limitValues)
        } catch { throw LineFault(reason: error.message) }
    }

    // MARK: Posts

    /// Returns true if no other post of the file has this key; else it is reported.
    ///
    /// Keys are kept as hashes of 64 bits: among a million, two are equal once in forty million
    /// files.
    private mutating func isNew(
        _ key: String, line: Int?, in file: ImportFile, _ names: inout Set<Int>
    ) -> Bool {
        guard names.count < BlogPost.limitInFile else {
            report.fail(
                file.path, line: line, "\(key): a file is limited to \(BlogPost.limitInFile) posts")
            return false
        }
        guard names.insert(key.hashValue).inserted else {
            report.fail(file.path, line: line, "\(key) occurs twice")
            return false
        }
        return true
    }

    /// Imports a post; reports why it cannot be imported.
    private mutating func take(
        _ post: BlogPost, of file: ImportFile, line: Int?
    ) async throws(InterchangeError) {
        var draft: Article.Draft
        var notes: [String]
        do throws(HTMLError) { (draft, notes) = try post.draft(limits: HTMLLimits()) } catch {
            if error == .outOfTime { throw .cancelled }
            return report.fail(file.path, line: line, "\(post.key): its text: \(error)")
        }
        notes += draft.fit().map { "\($0.attribute) \($0.note)" }
        if let fault = draft.faults.first {
            return report.fail(
                file.path, line: line, "\(post.key): \(fault.path) \(fault.message)")
        }
        guard
            var item = item(
                of: draft, identity: "\(file.identity)#\(post.key)", bytes: post.bytes,
                path: file.path, line: line ?? 1)
        else { return }
        item.content.slug = post.slugChoice
        item.keepsSlug = post.slug == nil
        item.recognition = .likeness(slug: item.content.slug.text)
        item.formerSlugs = Array(
            post.formerSlugs.map(\.inNFC).filter { Slug.fault($0) == nil }
                .prefix(ImportItem.limitFormerSlugs))
        let omissions = notes.map {
            ImportFault(path: file.path, line: line, reason: "\(post.key): \($0)")
        }
        try await add(item, path: file.path, line: line, key: post.key, omissions: omissions)
    }

    /// Notes something about a whole file, unless all of its articles are as they were: then an
    /// earlier import has noted it.
    private mutating func note(
        _ notes: [ImportFault], since before: ImportReport
    ) async throws(InterchangeError) {
        try await flush()
        let hasChanged =
            (report.created, report.updated, report.restored)
            != (before.created, before.updated, before.restored)
        if hasChanged || report.articles == before.articles { report.omit(notes) }
    }
}

/// The bytes of a file for one reader after another.
private final class BlogSource {
    private let path: String
    private(set) var readBytes = 0
    /// Called with half of the bytes that were read, as the file is read twice.
    package var progress: ((Int) -> Void)?

    init(_ path: String, progress: @escaping (Int) -> Void) {
        self.path = path
        self.progress = progress
    }

    /// A reader of the file from its beginning.
    func reader() -> XMLReader {
        let file = OpenFile(path)
        return XMLReader(limits: XMLLimits(documentBytes: nil)) {
            [self] () throws(XMLSourceError) in
            do throws(SystemError) {
                let bytes = try file.next()
                readBytes += bytes.count
                progress?(readBytes / 2)
                return bytes
            } catch { throw XMLSourceError(error.reason) }
        }
    }

    /// Opened when it is first read.
    private final class OpenFile {
        private let path: String
        private var reader: FileReader?
        private var buffer = [UInt8](repeating: 0, count: 64 << 10)

        init(_ path: String) { self.path = path }

        func next() throws(SystemError) -> [UInt8] {
            if reader == nil { reader = try FileReader(path) }
            let count = try reader?.read(into: &buffer) ?? 0
            return Array(buffer[..<count])
        }
    }
}
