import ArticleAPI
import ArticleStore
import Sockets

extension ImportRun {
    /// Articles in one file of lines: their names have to be remembered.
    static let limitLines = 1_000_000

    /// Whether a file without a telling name begins like an object of JSON.
    func looksLikeLines(_ file: ImportFile) -> Bool {
        let blank: [UInt8] = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
        var start = [UInt8](repeating: 0, count: 1_024)
        do throws(SystemError) {
            var reader = try FileReader(file.path)
            let count = try reader.read(into: &start)
            return start[..<count].first { !blank.contains($0) } == UInt8(ascii: "{")
        } catch {
            // Whoever reads it next says what is wrong.
            return false
        }
    }

    /// Takes a file of lines: an export, if the first one says so, else articles.
    mutating func takeLines(_ file: ImportFile) async throws(InterchangeError) {
        guard let first = firstLine(of: file) else { return finish(bytes: file.sizeBytes) }
        switch ExportHeader(first) {
        case nil: try await takeDrafts(file)
        case .known?: try await restore(file)
        case .unknown(let reason)?:
            report.fail(file.path, line: first.number, reason)
            finish(bytes: file.sizeBytes)
        }
    }

    /// `nil` for an empty file, and for one that cannot be read: that is reported.
    private mutating func firstLine(of file: ImportFile) -> LineReader.Line? {
        guard var reader = lines(of: file) else { return nil }
        return next(&reader, of: file)
    }

    /// `nil` if the file cannot be opened: that is reported.
    mutating func lines(of file: ImportFile) -> LineReader? {
        do throws(SystemError) { return try LineReader(file.path) } catch {
            report.fail(file.path, error.reason)
            return nil
        }
    }

    /// `nil` at the end, and where the file cannot be read on: that is reported.
    mutating func next(_ reader: inout LineReader, of file: ImportFile) -> LineReader.Line? {
        do throws(SystemError) { return try reader.next() } catch {
            report.fail(file.path, error.reason)
            return nil
        }
    }

    /// Takes the lines of a file, each an article as `POST` takes it.
    private mutating func takeDrafts(_ file: ImportFile) async throws(InterchangeError) {
        var names = DraftNames(file: file.identity)
        var finished = 0
        guard var reader = lines(of: file) else { return finish(bytes: file.sizeBytes) }
        while let line = next(&reader, of: file) {
            guard names.count < Self.limitLines else {
                let reason = "a file of lines takes at most \(Self.limitLines) articles"
                report.fail(file.path, line: line.number, reason)
                break
            }
            if let item = draft(on: line, of: file, &names) {
                try await add(item, path: file.path, line: line.number)
            }
            finish(bytes: reader.offset - finished)
            finished = reader.offset
        }
        finish(bytes: file.sizeBytes - finished)
    }

    /// The article of a line; `nil` if there is none, and then it is reported.
    private mutating func draft(
        on line: LineReader.Line, of file: ImportFile, _ names: inout DraftNames
    ) -> ImportItem? {
        do throws(LineFault) {
            let (value, bytes) = try line.json()
            let draft: Article.Draft
            do throws(InvalidValue) { draft = try Article.Draft(strict: value) } catch {
                throw LineFault(error)
            }
            let identity = try names.identity(of: draft, on: line.number)
            return item(
                of: draft, identity: identity, bytes: bytes, path: file.path, line: line.number)
        } catch {
            report.fail(file.path, line: line.number, error.reason)
            return nil
        }
    }
}

/// The names by which the lines of a file are known: `posts.ndjson#id:…`, else `#slug:…`, else
/// `#title:…`, with a number from the second of equal titles on.
///
/// So lines can be moved, and others put between them, without one article becoming another.
private struct DraftNames {
    private let file: String
    /// The lines on which names stood first, and how often they did.
    private var seen: [UInt64: (line: Int, count: Int)] = [:]
    private(set) var count = 0

    init(file: String) { self.file = file }

    /// - Throws: if the id or the slug stands on an earlier line.
    mutating func identity(of draft: Article.Draft, on line: Int) throws(LineFault) -> String {
        count += 1
        if let id = draft.id { return try unique("id:\(id)", "id", on: line) }
        if let slug = draft.slug { return try unique("slug:\(slug)", "slug", on: line) }
        // Of a title, which may be longer than the store's names, its digest.
        let digest = ByteText.hexadecimal(Digest.sha256(draft.title.utf8).prefix(16))
        let number = see("title:\(digest)", on: line).count
        return number == 1 ? "\(file)#title:\(digest)" : "\(file)#title:\(digest):\(number)"
    }

    private mutating func unique(
        _ name: String, _ attribute: String, on line: Int
    ) throws(LineFault) -> String {
        let found = see(name, on: line)
        if found.count > 1 {
            throw LineFault(reason: "$.\(attribute) is that of line \(found.line)")
        }
        return "\(file)#\(name)"
    }

    /// 64 bits of a name stand for it: a million of them collide once in forty million files.
    private mutating func see(_ name: String, on line: Int) -> (line: Int, count: Int) {
        let key = Digest.sha256(name.utf8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        seen[key, default: (line, 0)].count += 1
        return seen[key] ?? (line, 1)
    }
}
