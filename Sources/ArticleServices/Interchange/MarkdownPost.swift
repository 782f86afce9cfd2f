import ArticleAPI

/// A parsed Markdown file: its metadata and its text.
package struct MarkdownPost: Sendable, Hashable {
    package let frontMatter: FrontMatter
    /// The title from the front matter, else the first level-1 heading, else the file name.
    package let title: String
    /// The part of the file name that Jekyll uses in URLs: `hello` of `2016-1-29-hello.md`.
    package let addressName: String?
    /// Everything from the first non-blank line after the front matter on, byte for byte.
    package let body: String
    /// The line of the file on which the body begins, from 1.
    package let bodyLine: Int

    /// Parses the bytes of a UTF-8 file, with or without a byte order mark and front matter.
    ///
    /// `name` is the file name without folders. If it starts with a date (`2016-1-29-hello.md`),
    /// that is the default for the post's date.
    package init(_ bytes: [UInt8], name: String) throws(FrontMatterError) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
        guard String(validating: content, as: UTF8.self) != nil else {
            throw FrontMatterError(line: Self.invalidLine(content), reason: .invalidUTF8)
        }
        var frontMatter = FrontMatter()
        var rest = content
        var line = 1
        if let yaml = try Self.takeFrontMatter(from: &rest, line: &line) {
            frontMatter = try FrontMatter(yaml: yaml, firstLine: 2)
            Self.dropBlankLines(from: &rest, line: &line)
        }
        let fileName = FileName(name)
        frontMatter.date = frontMatter.date ?? fileName.date
        body = String(decoding: rest, as: UTF8.self)
        bodyLine = line
        addressName = fileName.addressName
        title = frontMatter.title ?? Self.heading(in: rest) ?? fileName.words
        self.frontMatter = frontMatter
    }

    /// The text between a first line `---` and a later `---` or `...`; `nil` if the first line is
    /// different. Advances `rest` and `line` to what follows.
    private static func takeFrontMatter(
        from rest: inout ArraySlice<UInt8>, line: inout Int
    ) throws(FrontMatterError) -> ArraySlice<UInt8>? {
        var lines = Lines(rest)
        guard let opening = lines.next(), isDelimiter(opening, "---") else { return nil }
        let start = lines.position
        line += 1
        // Invariant: no line between `start` and `end` closes the front matter.
        var end = start
        while end - start <= FrontMatter.limitBytes, let next = lines.next() {
            line += 1
            if isDelimiter(next, "---") || isDelimiter(next, "...") {
                defer { rest = rest[lines.position...] }
                return rest[start..<end]
            }
            end = lines.position
        }
        guard end - start <= FrontMatter.limitBytes else {
            throw FrontMatterError(line: line - 1, reason: .tooLarge)
        }
        throw FrontMatterError(line: 1, reason: .unclosed)
    }

    /// Drops the blank lines between front matter and text. Leading spaces of the first line are
    /// kept, as they may mark code.
    private static func dropBlankLines(from rest: inout ArraySlice<UInt8>, line: inout Int) {
        var lines = Lines(rest)
        // Invariant: all lines before `rest` are blank.
        while let next = lines.next(), next.allSatisfy({ " \t\r".utf8.contains($0) }) {
            rest = rest[lines.position...]
            line += 1
        }
    }

    /// Whether the line consists of `marker` and optional trailing whitespace.
    private static func isDelimiter(_ line: ArraySlice<UInt8>, _ marker: String) -> Bool {
        line.starts(with: marker.utf8) && line.dropFirst(3).allSatisfy { " \t\r".utf8.contains($0) }
    }

    private static func invalidLine(_ content: ArraySlice<UInt8>) -> Int {
        var lines = Lines(content)
        var number = 1
        while let line = lines.next(), String(validating: line, as: UTF8.self) != nil {
            number += 1
        }
        return number
    }

    /// The text of the first `# heading` outside of fenced code.
    private static func heading(in body: ArraySlice<UInt8>) -> String? {
        var lines = Lines(body)
        var isCode = false
        while let line = lines.next() {
            if line.starts(with: "```".utf8) || line.starts(with: "~~~".utf8) { isCode.toggle() }
            guard !isCode, line.starts(with: "# ".utf8) else { continue }
            var text = String(decoding: line.dropFirst(2), as: UTF8.self).trimmingSpaces
            while text.hasSuffix("#") { text.removeLast() }
            let heading = text.trimmingSpaces
            if !heading.isEmpty { return String(heading) }
        }
        return nil
    }
}

/// The lines of a text, each without its line feed.
private struct Lines {
    private let text: ArraySlice<UInt8>
    /// Where the next line begins.
    private(set) var position: Int

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        position = text.startIndex
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard position < text.endIndex else { return nil }
        let end = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
        defer { position = min(end + 1, text.endIndex) }
        return text[position..<end]
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
        date =
            parts.count == 4
            ? Timestamp(frontMatter: parts.prefix(3).joined(separator: "-")) : nil
        addressName = date == nil ? nil : String(parts[3])
        let rest = date == nil ? stem : parts[3]
        let words = rest.split { $0 == "-" || $0 == "_" || $0.isWhitespace }.joined(separator: " ")
        self.words = words.isEmpty ? name : words
    }
}
