/// The text of Markdown as readers see it, for searching: without marks, link targets, tags and
/// reference definitions. Code is kept as it is.
///
/// It reads line by line and never goes back, so that the time is proportional to the length of any
/// text; constructs that CommonMark decides over several lines may be read differently.
struct PlainText {
    private let source: [UInt8]
    private var text: [UInt8] = []
    /// The fence of the code block around the line: its character and length.
    private var fence: (mark: UInt8, length: Int)?

    static func bytes(of markdown: String) -> [UInt8] {
        var plain = PlainText(source: Array(markdown.utf8))
        plain.text.reserveCapacity(plain.source.count + 64)
        plain.readLines()
        return plain.text
    }

    private init(source: [UInt8]) { self.source = source }

    private mutating func readLines() {
        var start = 0
        // Invariant: the lines before `start` are read.
        while start < source.count {
            let end = source[start...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
            readLine(start..<end)
            start = end + 1
        }
    }

    /// The characters of thematic breaks, underlines of headings and delimiters of tables.
    private static let rules = Array("-=*_:|+".utf8)

    private mutating func readLine(_ line: Range<Int>) {
        var rest = trimmed(line)
        if let fence {
            if fenceLength(rest, fence.mark) >= fence.length, isOnly([fence.mark], rest) {
                self.fence = nil
                text += "\n\n".utf8
            } else {
                text += source[line]
                text.append(UInt8(ascii: "\n"))
            }
            return
        }
        while let first = source[rest].first, first == UInt8(ascii: ">") {
            rest = trimmed(rest.dropFirst(1))
        }
        for mark in [UInt8(ascii: "`"), UInt8(ascii: "~")] where fenceLength(rest, mark) >= 3 {
            fence = (mark, fenceLength(rest, mark))
            text += "\n\n".utf8
            return
        }
        if rest.isEmpty || isOnly(Self.rules, rest) {
            text += "\n\n".utf8
            return
        }
        if let item = withoutBlockMark(rest) {
            text += "\n\n".utf8
            rest = item
        }
        guard let shown = withoutLabel(rest) else { return }
        readInline(shown)
        text.append(UInt8(ascii: "\n"))
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

    private mutating func readInline(_ line: Range<Int>) {
        var inline = InlineText(source, line)
        inline.read(into: &text)
    }

    private func fenceLength(_ line: Range<Int>, _ mark: UInt8) -> Int {
        source[line].prefix { $0 == mark }.count
    }

    /// Returns true if the line consists of these marks and white space.
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
