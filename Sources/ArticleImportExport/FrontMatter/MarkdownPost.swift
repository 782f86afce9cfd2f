package import ArticleAPI
import ArticleStore
import BroadsheetHTTP

/// A parsed Markdown file: its metadata and its text.
package struct MarkdownPost: Sendable, Hashable {
    package let frontMatter: FrontMatter
    /// The title from the front matter, else the first level-1 heading, else the file name.
    package let title: String
    /// The part of the file name that Jekyll uses in URLs: `hello` of `2016-1-29-hello.md`.
    let addressName: String?
    /// Everything from the first non-blank line after the front matter on, byte for byte.
    package let body: String
    /// The line of the file on which the body begins, from 1.
    package let bodyLine: Int
    /// True if the file has front matter.
    let hasFrontMatter: Bool

    /// Parses the bytes of a UTF-8 file, with or without a byte order mark and front matter.
    ///
    /// `name` is the file name without folders. If it starts with a date (`2016-1-29-hello.md`),
    /// that is the default for the post's date.
    package init(_ bytes: [UInt8], name: String) throws(FrontMatterError) {
        var content = bytes[(bytes.starts(with: Self.byteOrderMark) ? 3 : 0)...]
        guard let text = String(validating: content, as: UTF8.self) else {
            throw FrontMatterError(line: Self.invalidLine(content), reason: .invalidUTF8)
        }
        let safeText = text.streamSafe
        if safeText.utf8.count != content.count { content = Array(safeText.utf8)[...] }
        var frontMatter = FrontMatter()
        var rest = content
        var line = 1
        let block = try FrontMatterBlock(of: content)
        if let block {
            frontMatter = try FrontMatter(FrontMatterNode.mapping(of: block))
            (rest, line) = (block.rest, block.restLine)
            Self.dropBlankLines(from: &rest, line: &line)
        }
        hasFrontMatter = block != nil
        let fileName = FileName(name)
        frontMatter.date = frontMatter.date ?? fileName.date
        frontMatter.checkSchedule()
        body = String(decoding: rest, as: UTF8.self)
        bodyLine = line
        addressName = fileName.addressName
        title = frontMatter.title ?? Self.heading(in: rest) ?? fileName.words
        self.frontMatter = frontMatter
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Throws if a file is not Markdown, whatever its name says: if it contains control characters,
    /// or is a document of another kind.
    static func checkContent(_ bytes: [UInt8]) throws(FrontMatterError) {
        var lines = TextLines(bytes[...])
        var number = 0
        while let line = lines.next() {
            number += 1
            if let byte = line.first(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0C || $0 == 0x7F })
            {
                throw FrontMatterError(line: number, reason: .controlCharacter(byte))
            }
        }
        let start = String(decoding: bytes.prefix(200), as: UTF8.self)
            .drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
        let kinds = [
            ("<!doctype html", "HTML"), ("<html", "HTML"), ("<?xml", "XML"), ("{\\rtf", "RTF"),
        ]
        if let (_, kind) = kinds.first(where: { start.hasPrefix($0.0) }) {
            throw FrontMatterError(line: 1, reason: .otherDocument(kind))
        }
    }

    /// Drops the blank lines between front matter and text. Leading spaces of the first line are
    /// kept, as they may mark code.
    private static func dropBlankLines(from rest: inout ArraySlice<UInt8>, line: inout Int) {
        var lines = TextLines(rest)
        // Invariant: all lines before `rest` are blank.
        while let next = lines.next(), next.allSatisfy({ " \t".utf8.contains($0) }) {
            rest = rest[lines.position...]
            line += 1
        }
    }

    private static func invalidLine(_ content: ArraySlice<UInt8>) -> Int {
        var lines = TextLines(content)
        var number = 1
        while let line = lines.next(), String(validating: line, as: UTF8.self) != nil {
            number += 1
        }
        return number
    }

    /// The text of the first heading of level 1 outside of fenced code: `# Heading`, or one that is
    /// underlined with `=`.
    private static func heading(in body: ArraySlice<UInt8>) -> String? {
        var lines = TextLines(body)
        var isCode = false
        var paragraph: [String] = []
        // Invariant: `paragraph` has the lines before the next one that a heading may consist of.
        while let line = lines.next() {
            let isFence = line.starts(with: "```".utf8) || line.starts(with: "~~~".utf8)
            if isFence { isCode.toggle() }
            let text = String(decoding: TextLines.trimmed(line), as: UTF8.self)
            if isCode || isFence || text.isEmpty {
                paragraph = []
            } else if line.starts(with: "# ".utf8) {
                var heading = text.dropFirst(2)
                while heading.hasSuffix("#") { heading.removeLast() }
                if !heading.trimmingSpaces.isEmpty { return String(heading.trimmingSpaces) }
            } else if !paragraph.isEmpty, text.allSatisfy({ $0 == "=" }) {
                return paragraph.joined(separator: " ")
            } else if isProse(line) {
                paragraph.append(text)
            } else {
                paragraph = []
            }
        }
        return nil
    }

    /// Returns true if a paragraph may begin with the line, unlike code, quotes, lists, tables and
    /// HTML.
    private static func isProse(_ line: ArraySlice<UInt8>) -> Bool {
        let isIndented = line.starts(with: "    ".utf8) || line.starts(with: "\t".utf8)
        let marks = [">", "#", "<", "|", "- ", "* ", "+ "]
        return !isIndented && !marks.contains { line.starts(with: $0.utf8) }
    }
}

extension MarkdownPost {
    /// The post as a draft in NFC; not validated.
    package var draft: Article.Draft {
        frontMatter.draft(title: title.inNFC, body: body.inNFC)
    }

    /// Returns the post as a draft in NFC, not validated, with its status at this time, and notes
    /// for the operator.
    ///
    /// - Parameter hiddenBy: The name that kept the file from being public at its source.
    func imported(
        at now: Timestamp, hiddenBy: String?
    ) -> (draft: Article.Draft, notes: [FrontMatter.Note]) {
        var draft = draft
        var notes = frontMatter.notes
        if let expiry = frontMatter.expiry, draft.status != .draft, draft.status != .archived {
            let isOver = expiry <= now
            let outcome = isOver ? "it became archived" : "it will stay public"
            notes.append(.init(line: 1, text: "it was public until \(expiry): \(outcome)"))
            if isOver { draft.status = .archived }
        }
        if let hiddenBy, draft.status != .draft {
            notes.append(
                .init(line: 1, text: "\(hiddenBy) kept it from the public", makesDraft: true))
            draft.status = .draft
        }
        return (draft, notes)
    }

    /// The slug from the front matter, else from the file name, else from the title. Translations
    /// of a post may share one, so a suffix is added if it is taken.
    var slugChoice: SlugChoice {
        for words in [frontMatter.slug, addressName, title] {
            if let words, Slug.fault(words.inNFC) == nil { return .like(words.inNFC) }
            if let slug = words.flatMap(Slug.init(title:)) { return .like(slug.text) }
        }
        return .keep
    }

    /// The line of the attribute at fault, as far as it can be determined.
    func line(ofFaultAt path: JSONPath) -> Int {
        guard case .name(let attribute)? = path.steps.first else { return 1 }
        return line(of: attribute)
    }

    /// The line of the attribute; 1 if it is not known.
    func line(of attribute: String) -> Int {
        if attribute == "body" { return bodyLine }
        return FrontMatter.keys(of: attribute).compactMap { frontMatter.lines[$0] }.min() ?? 1
    }
}

/// The parts of a post's file name: `2016-1-29-hello-world.md`.
private struct FileName {
    let date: Timestamp?
    /// The part between date and extension; `nil` without a date.
    let addressName: String?
    /// The name without date and extension, with spaces for hyphens and underscores.
    let words: String

    init(_ name: String) {
        let dot = name.dropFirst().lastIndex(of: ".")
        let stem = dot.map { name[..<$0] } ?? name[...]
        let parts = stem.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        let isDated =
            parts.count == 4 && parts[0].utf8.count == 4
            && parts.prefix(3).allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        date = isDated ? Timestamp(frontMatter: parts.prefix(3).joined(separator: "-")) : nil
        addressName = date == nil ? nil : String(parts[3])
        let rest = date == nil ? stem : parts[3]
        let words = rest.split { $0 == "-" || $0 == "_" || $0.isWhitespace }.joined(separator: " ")
        self.words = words.isEmpty ? name : words
    }
}
