/// A text as its paragraphs: what blank lines separate. A block of fenced code (CommonMark §4.5) is
/// part of one paragraph, whatever lines it has.
struct Paragraphs: Sendable, Hashable {
    struct Paragraph: Sendable, Hashable {
        /// Without the line break at its end.
        var text: ArraySlice<UInt8>
        /// The line breaks and blank lines between this and the next one; `nil` for the last.
        var separator: ArraySlice<UInt8>?

        /// The text with `\n` as line breaks, by which paragraphs are compared.
        var key: ArraySlice<UInt8> {
            guard text.contains(UInt8(ascii: "\r")) else { return text }
            var key: [UInt8] = []
            for (index, byte) in zip(text.indices, text) {
                let next = text.index(after: index)
                let isBreak = next < text.endIndex && text[next] == UInt8(ascii: "\n")
                if byte != UInt8(ascii: "\r") || !isBreak { key.append(byte) }
            }
            return key[...]
        }
    }

    /// The blank lines before the first paragraph.
    var start: ArraySlice<UInt8> = []
    var list: [Paragraph] = []
    /// The line breaks and blank lines behind the last paragraph.
    var end: ArraySlice<UInt8> = []

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var fence: Fence?
        /// The range of the paragraph up to now.
        var open: Range<Int>?
        var closed = 0
        func close(_ range: Range<Int>) {
            if list.isEmpty {
                start = bytes[..<range.lowerBound]
            } else {
                list[list.count - 1].separator = bytes[closed..<range.lowerBound]
            }
            list.append(Paragraph(text: bytes[range], separator: nil))
            closed = range.upperBound
        }
        var next = 0
        // The bytes before `next` are whole lines.
        while next < bytes.count {
            let lineStart = next
            let lineBreak = bytes[next...].firstIndex(of: UInt8(ascii: "\n"))
            next = lineBreak.map { $0 + 1 } ?? bytes.count
            var line = bytes[lineStart..<(lineBreak ?? bytes.count)]
            if lineBreak != nil, line.last == UInt8(ascii: "\r") { line.removeLast() }
            if fence == nil, line.allSatisfy(\.isBlank) {
                if let range = open { close(range) }
                open = nil
            } else {
                open = (open?.lowerBound ?? lineStart)..<line.endIndex
                fence = fence.map { $0.isClosed(by: line) ? nil : $0 } ?? Fence(opening: line)
            }
        }
        if let range = open { close(range) }
        if list.isEmpty { start = bytes[...] } else { end = bytes[closed...] }
    }

    /// The line that begins a block of code.
    private struct Fence {
        var mark: UInt8
        var count: Int

        init?(opening line: ArraySlice<UInt8>) {
            let rest = line.drop(while: \.isBlank)
            guard let mark = rest.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~")
            else { return nil }
            self.mark = mark
            count = rest.prefix { $0 == mark }.count
            guard count >= 3 else { return nil }
            // Otherwise it is code within a line.
            if mark == UInt8(ascii: "`"), rest.dropFirst(count).contains(mark) { return nil }
        }

        func isClosed(by line: ArraySlice<UInt8>) -> Bool {
            let rest = line.drop(while: \.isBlank)
            let marks = rest.prefix { $0 == mark }
            return marks.count >= count && rest.dropFirst(marks.count).allSatisfy(\.isBlank)
        }
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

/// Two edits of one text, combined by paragraphs.
struct ParagraphMerge: Sendable {
    private enum Piece: Sendable {
        case paragraphs([Paragraphs.Paragraph])
        case conflict(
            Article.Merge.Region, [Paragraphs.Paragraph], [Paragraphs.Paragraph])
    }

    private var pieces: [Piece] = []
    private let start: ArraySlice<UInt8>
    private let end: ArraySlice<UInt8>
    /// The separator of paragraphs that were not followed by another one.
    private let separator: ArraySlice<UInt8>

    init(base: String, mine: String, theirs: String) {
        let all = (Paragraphs(base), Paragraphs(mine), Paragraphs(theirs))
        start = Self.merged(all.0.start, all.1.start, all.2.start)
        end = Self.merged(all.0.end, all.1.end, all.2.end)
        let hasCRLF = mine.utf8.hasCRLF && theirs.utf8.hasCRLF
        separator = ArraySlice((hasCRLF ? "\r\n\r\n" : "\n\n").utf8)
        let (base, mine, theirs) = (all.0.list, all.1.list, all.2.list)
        let merge = SequenceMerge(
            base: base.map(\.key), mine: mine.map(\.key), theirs: theirs.map(\.key))
        for part in merge.parts {
            switch part.kind {
            case .mine: pieces.append(.paragraphs(Array(mine[part.mine])))
            case .theirs: pieces.append(.paragraphs(Array(theirs[part.theirs])))
            case .unchanged:
                pieces.append(
                    .paragraphs(
                        zip(base[part.base], zip(mine[part.mine], theirs[part.theirs])).map {
                            Self.merged($0, $1.0, $1.1)
                        }))
            case .both:
                pieces.append(
                    .paragraphs(
                        zip(mine[part.mine], theirs[part.theirs]).map { Self.merged(nil, $0, $1) }))
            case .conflict:
                let region = Article.Merge.Region(
                    paragraphs: part.base, base: text(base[part.base]),
                    mine: text(mine[part.mine]), theirs: text(theirs[part.theirs]))
                pieces.append(
                    .conflict(region, Array(mine[part.mine]), Array(theirs[part.theirs])))
            }
        }
    }

    /// The overlaps of both edits, in the order of the text.
    var regions: [Article.Merge.Region] {
        pieces.compactMap { if case .conflict(let region, _, _) = $0 { region } else { nil } }
    }

    /// The text with a side, or both, of each region.
    func text(_ choice: (Article.Merge.Region) -> Article.Merge.Choice) -> String {
        let paragraphs = pieces.flatMap { piece in
            switch piece {
            case .paragraphs(let paragraphs): paragraphs
            case .conflict(let region, let mine, let theirs):
                switch choice(region) {
                case .mine: mine
                case .theirs: theirs
                case .both: mine + theirs
                }
            }
        }
        return String(decoding: start + joined(paragraphs[...]) + end, as: UTF8.self)
    }

    private func text(_ paragraphs: ArraySlice<Paragraphs.Paragraph>) -> String {
        String(decoding: joined(paragraphs), as: UTF8.self)
    }

    private func joined(_ paragraphs: ArraySlice<Paragraphs.Paragraph>) -> [UInt8] {
        var bytes: [UInt8] = []
        for paragraph in paragraphs.dropLast() {
            bytes += paragraph.text
            bytes += paragraph.separator ?? separator
        }
        if let last = paragraphs.last { bytes += last.text }
        return bytes
    }

    // MARK: Line breaks and blank lines

    /// The bytes of a paragraph that is the same on both sides, apart from line breaks.
    private static func merged(
        _ base: Paragraphs.Paragraph?, _ mine: Paragraphs.Paragraph,
        _ theirs: Paragraphs.Paragraph
    ) -> Paragraphs.Paragraph {
        let separators = [base?.separator, mine.separator, theirs.separator].compactMap { $0 }
        return Paragraphs.Paragraph(
            text: merged(base?.text, mine.text, theirs.text),
            separator: separators.count == 3
                ? merged(separators[0], separators[1], separators[2])
                : separators.max { $0.isOrdered(before: $1) })
    }

    /// The bytes that one side has changed; if both have, the longer ones.
    private static func merged(
        _ base: ArraySlice<UInt8>?, _ mine: ArraySlice<UInt8>, _ theirs: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8> {
        if mine == base { return theirs }
        if theirs == base { return mine }
        return mine.isOrdered(before: theirs) ? theirs : mine
    }
}

extension ArraySlice<UInt8> {
    /// Shorter ones first.
    fileprivate func isOrdered(before other: Self) -> Bool {
        count == other.count ? lexicographicallyPrecedes(other) : count < other.count
    }
}

extension String.UTF8View {
    fileprivate var hasCRLF: Bool {
        var previous: UInt8 = 0
        for byte in self {
            if byte == UInt8(ascii: "\n"), previous == UInt8(ascii: "\r") { return true }
            previous = byte
        }
        return false
    }
}
