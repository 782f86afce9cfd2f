/// The text of Markdown or HTML as readers see it: without marks, tags and targets of links.
///
/// Markdown is read line by line, never going back, so that the time is proportional to the length
/// of any text; constructs that CommonMark decides over several lines may be read differently.
/// Characters that may not be marks remain in the text.
package struct PlainText {
    private let source: [UInt8]
    /// The beginning of the next line.
    private var position = 0
    private var text: [UInt8] = []
    /// The fence of the code block around the line: its character and length.
    private var fence: (mark: UInt8, length: Int)?
    /// True if marks within lines stay in the text.
    private let keepsMarks: Bool

    /// The maximum size of the part of a text that is read for its beginning.
    private static let beginningBytes = 256 << 10

    private init(_ source: [UInt8], keepsMarks: Bool = false) {
        self.source = source
        self.keepsMarks = keepsMarks
    }

    /// The text of Markdown, for searching, in UTF-8. Code is kept as it is.
    package static func bytes(ofMarkdown markdown: String) -> [UInt8] {
        var reader = PlainText(Array(markdown.utf8))
        reader.text.reserveCapacity(reader.source.count + 64)
        while reader.readLine() != nil {}
        return reader.text
    }

    /// The first paragraph or list of Markdown, in one line.
    ///
    /// Headings, code blocks, rules, tables, quotes and pictures before it are skipped.
    package static func firstParagraph(ofMarkdown markdown: String) -> String {
        var reader = PlainText(Array(markdown.utf8.prefix(beginningBytes)), keepsMarks: true)
        var prose: [UInt8] = []
        // Invariant: `prose` is the paragraph so far, with marks that may be about several lines.
        while true {
            reader.text = []
            let block = reader.readLine()
            if block == .prose {
                prose += reader.text
                continue
            }
            // A line under prose makes a heading of it.
            if block == .underline { prose = [] }
            var text: [UInt8] = []
            var inline = InlineText(prose, 0..<prose.count, omitsPictures: true)
            inline.read(into: &text)
            let paragraph = collapsed(String(decoding: text, as: UTF8.self))
            if !paragraph.isEmpty || block == nil { return paragraph }
            prose = []
        }
    }

    /// The text of sanitized HTML, without code blocks and tables, in one line.
    ///
    /// - Parameters:
    ///   - html: HTML as the backend serves it: with `<`, `>`, `&` and `"` escaped in texts and
    ///     attributes. Other HTML also loses its tags, but the rules of HTML for malformed markup
    ///     are not followed.
    ///   - limitBytes: the approximate size of the text needed; the rest is not read.
    package static func text(ofHTML html: String, limitBytes: Int) -> String {
        var reader = HTMLText(Array(html.utf8.prefix(beginningBytes)))
        return collapsed(reader.read(atLeast: limitBytes))
    }

    /// The text in one line, with runs of white space as single spaces.
    package static func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The kind of block that a line belongs to.
    private enum Block { case prose, underline, other }

    /// Reads one line; `nil` at the end.
    private mutating func readLine() -> Block? {
        guard position < source.count else { return nil }
        let end = source[position...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
        defer { position = end + 1 }
        return readLine(position..<end)
    }

    /// The characters of thematic breaks, underlines of headings and delimiters of tables.
    private static let rules = Array("-=*_:|+".utf8)

    private mutating func readLine(_ line: Range<Int>) -> Block {
        var rest = trimmed(line)
        if let fence {
            if fenceLength(rest, fence.mark) >= fence.length, isOnly([fence.mark], rest) {
                self.fence = nil
                text += "\n\n".utf8
            } else {
                text += source[line]
                text.append(UInt8(ascii: "\n"))
            }
            return .other
        }
        // Headings, quotes, tables and HTML.
        let isProse = source[rest].first.map { !"#>|<".utf8.contains($0) } ?? false
        while let first = source[rest].first, first == UInt8(ascii: ">") {
            rest = trimmed(rest.dropFirst(1))
        }
        for mark in [UInt8(ascii: "`"), UInt8(ascii: "~")] where fenceLength(rest, mark) >= 3 {
            fence = (mark, fenceLength(rest, mark))
            text += "\n\n".utf8
            return .other
        }
        if rest.isEmpty || isOnly(Self.rules, rest) {
            text += "\n\n".utf8
            let isUnderline = source[rest].first.map("=-".utf8.contains) ?? false
            return isUnderline ? .underline : .other
        }
        if let item = withoutBlockMark(rest) {
            text += "\n\n".utf8
            rest = item
        }
        guard let shown = withoutLabel(rest) else { return .other }
        if keepsMarks {
            text += source[shown]
        } else {
            var inline = InlineText(source, shown)
            inline.read(into: &text)
        }
        text.append(UInt8(ascii: "\n"))
        return isProse ? .prose : .other
    }

    /// The line behind the marks of headings and list items; `nil` if it has none.
    private func withoutBlockMark(_ line: Range<Int>) -> Range<Int>? {
        let bytes = source[line]
        let hashes = bytes.prefix(7).prefix { $0 == UInt8(ascii: "#") }.count
        let digits = bytes.prefix(9).prefix { $0 &- UInt8(ascii: "0") < 10 }.count
        var length = 0
        if (1...6).contains(hashes) {
            length = hashes
        } else if let first = bytes.first, "-*+".utf8.contains(first) {
            length = 1
        } else if digits > 0, let end = bytes.dropFirst(digits).first, ".)".utf8.contains(end) {
            length = digits + 1
        }
        guard length > 0, bytes.count > length, Self.isSpace(source[line.lowerBound + length])
        else { return nil }
        let rest = trimmed(line.dropFirst(length))
        let box = Array(source[rest].prefix(3))
        return ["[ ]", "[x]", "[X]"].contains { Array($0.utf8) == box }
            ? trimmed(rest.dropFirst(3)) : rest
    }

    /// The line without the label of a footnote; `nil` for the definition of a link's target.
    private func withoutLabel(_ line: Range<Int>) -> Range<Int>? {
        guard source[line].first == UInt8(ascii: "["),
            let close = source[line].firstIndex(of: UInt8(ascii: "]")), close + 1 < line.upperBound,
            source[close + 1] == UInt8(ascii: ":")
        else { return line }
        let isFootnote = source[line.lowerBound + 1] == UInt8(ascii: "^")
        return isFootnote ? trimmed(close + 2..<line.upperBound) : nil
    }

    private func fenceLength(_ line: Range<Int>, _ mark: UInt8) -> Int {
        source[line].prefix { $0 == mark }.count
    }

    /// True if the line consists of these marks and white space.
    private func isOnly(_ marks: [UInt8], _ line: Range<Int>) -> Bool {
        source[line].allSatisfy { marks.contains($0) || Self.isSpace($0) }
    }

    private func trimmed(_ line: Range<Int>) -> Range<Int> {
        let start = source[line].firstIndex { !Self.isSpace($0) } ?? line.upperBound
        return start..<line.upperBound
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

extension Range<Int> {
    /// Returns the range after its first `count` elements, of which there are at least as many.
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { lowerBound + count..<upperBound }
}
