import ArticleAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetPlatform

extension ImportRun {
    /// Maximum number of articles in one file of JSON lines, as their names are kept in memory.
    static let limitLines = 1_000_000

    /// Imports a file whose content determines its format: the export of a blog, or, if it was
    /// named itself, JSON lines or, without an extension, a post. Other files of a folder are
    /// skipped.
    mutating func takeUnknown(_ file: ImportFile) async throws(InterchangeError) {
        let blank: [UInt8] = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
        let start = start(of: file)
        let isObject = start.first { !blank.contains($0) } == UInt8(ascii: "{")
        if WordPressExport.isExport(start) {
            try await takeWordPress(file)
        } else if isObject, file.isNamed || GhostExport.mayBegin(with: start) {
            try await takeObject(file)
        } else if !file.isNamed {
            finish(bytes: file.sizeBytes)
        } else if file.format == .other || file.format == .document {
            failUnknown(file)
        } else {
            try await takePost(file)
        }
    }

    /// Imports a file that begins like an object of JSON: an export of Ghost or, if its first line
    /// is a whole value, JSON lines.
    private mutating func takeObject(_ file: ImportFile) async throws(InterchangeError) {
        guard let first = firstLine(of: file) else { return finish(bytes: file.sizeBytes) }
        if let value = try? first.json().value, !GhostExport.isExport(value) {
            let isTaken = file.isNamed && (file.format != .other || ExportHeader(first) != nil)
            if isTaken { return try await takeLines(file) }
            if file.isNamed { failUnknown(file) } else { finish(bytes: file.sizeBytes) }
            return
        }
        let value: JSONValue
        do throws(LineFault) { value = try Self.json(file.path) } catch {
            report.fail(file.path, error.reason)
            return finish(bytes: file.sizeBytes)
        }
        if GhostExport.isExport(value) {
            try await takeGhost(value, of: file)
        } else if file.isNamed {
            failUnknown(file)
        } else {
            finish(bytes: file.sizeBytes)
        }
    }

    private mutating func failUnknown(_ file: ImportFile) {
        report.fail(
            file.path,
            file.format == .other
                ? "is neither Markdown (.md) nor JSON lines (.ndjson) nor an export"
                : "is neither an export of WordPress or Ghost nor JSON lines")
        finish(bytes: file.sizeBytes)
    }

    /// The first bytes of a file; none if it cannot be read, which the next read reports.
    private func start(of file: ImportFile) -> ArraySlice<UInt8> {
        var start = [UInt8](repeating: 0, count: 16 << 10)
        var count = 0
        if var reader = try? FileReader(file.path) {
            count = (try? reader.read(into: &start)) ?? 0
        }
        return start[..<count]
    }

    /// Imports a file of JSON lines: an export if the first line says so, otherwise articles.
    mutating func takeLines(_ file: ImportFile) async throws(InterchangeError) {
        guard let first = firstLine(of: file) else { return finish(bytes: file.sizeBytes) }
        if let text = first.bytes, text.count < 100,
            ["{", "["].contains(String(decoding: text, as: UTF8.self).trimmingSpaces)
        {
            report.fail(file.path, "has a value in several lines, not an article in each line")
            return finish(bytes: file.sizeBytes)
        }
        switch ExportHeader(first) {
        case nil: try await takeDrafts(file)
        case .known? where importer.isAsDrafts:
            report.fail(
                file.path, "an export is restored as it was, and cannot be imported as drafts")
            finish(bytes: file.sizeBytes)
        case .known(let version)?: try await restore(file, version: version)
        case .unknown(let reason)?:
            report.fail(file.path, line: first.number, reason)
            finish(bytes: file.sizeBytes)
        }
    }

    /// `nil` for an empty file, and for one that cannot be read, which is reported.
    private mutating func firstLine(of file: ImportFile) -> LineReader.Line? {
        guard var reader = lines(of: file) else { return nil }
        return next(&reader, of: file)
    }

    /// `nil` if the file cannot be opened, which is reported.
    mutating func lines(of file: ImportFile) -> LineReader? {
        do throws(SystemError) { return try LineReader(file.path) } catch {
            report.fail(file.path, error.reason)
            return nil
        }
    }

    /// `nil` at the end, and after a read error, which is reported.
    mutating func next(_ reader: inout LineReader, of file: ImportFile) -> LineReader.Line? {
        do throws(SystemError) { return try reader.next() } catch {
            report.fail(file.path, error.reason)
            return nil
        }
    }

    /// Imports the lines of a file, each of them an article as in the body of `POST`.
    private mutating func takeDrafts(_ file: ImportFile) async throws(InterchangeError) {
        var names = DraftNames(file: file.identity)
        var finished = 0
        guard var reader = lines(of: file) else { return finish(bytes: file.sizeBytes) }
        while let line = next(&reader, of: file) {
            guard names.count < Self.limitLines else {
                let reason = "a file of JSON lines is limited to \(Self.limitLines) articles"
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

    /// The article on a line; `nil` if it is invalid, which is reported.
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

/// The names that identify the lines of a file: `posts.ndjson#id:…`, else `#slug:…`, else
/// `#title:…`, with a number from the second of equal titles on.
///
/// So lines can be moved and inserted without confusing articles.
private struct DraftNames {
    private let file: String
    /// The line of each name's first occurrence, and the number of its occurrences.
    private var seen: [UInt64: (line: Int, count: Int)] = [:]
    private(set) var count = 0

    init(file: String) { self.file = file }

    /// - Throws: if the id or the slug was used on an earlier line.
    mutating func identity(of draft: Article.Draft, on line: Int) throws(LineFault) -> String {
        count += 1
        if let id = draft.id { return try unique("id:\(id)", "id", on: line) }
        if let slug = draft.slug { return try unique("slug:\(slug)", "slug", on: line) }
        // Titles are hashed, as they may exceed the store's length limit for names.
        let digest = ByteText.hexadecimal(Digest.sha256(draft.title.utf8).prefix(16))
        let number = see("title:\(digest)", on: line).count
        return number == 1 ? "\(file)#title:\(digest)" : "\(file)#title:\(digest):\(number)"
    }

    private mutating func unique(
        _ name: String, _ attribute: String, on line: Int
    ) throws(LineFault) -> String {
        let found = see(name, on: line)
        if found.count > 1 {
            throw LineFault(reason: "$.\(attribute) was already used on line \(found.line)")
        }
        return "\(file)#\(name)"
    }

    /// Names are identified by 64 bits of a hash: among a million, a collision occurs once in forty
    /// million files.
    private mutating func see(_ name: String, on line: Int) -> (line: Int, count: Int) {
        let key = Digest.sha256(name.utf8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        seen[key, default: (line, 0)].count += 1
        return seen[key] ?? (line, 1)
    }
}
