import ArticleAPI

/// The part of a text with the most matches, cut at words.
struct Excerpt {
    private let text: SearchText
    private let bytes: [UInt8]
    private let units: Range<Int>
    private let marks: [SearchMark]
    /// The marks that it is made around.
    private let cluster: Range<Int>
    /// The number of clauses that match in it.
    let rank: Int

    /// Scalars.
    private static let length = 160
    /// Scalars, where there are no words to cut at.
    private static let limit = 320

    init(
        _ text: SearchText, _ bytes: [UInt8], _ kind: SearchText.Field.Kind,
        _ marks: [SearchMark]
    ) {
        self.text = text
        self.bytes = bytes
        self.marks = marks
        units = text.units(of: kind)
        (cluster, rank) = Self.densest(text, bytes, marks)
    }

    /// The excerpt, with white space as single spaces.
    var pieces: [SearchPiece] {
        let range = range
        let marked = HighlightedText(bytes, marks.map { text.range(of: $0.units) })
        var pieces = marked.pieces(range).map {
            SearchPiece(text: Self.collapsed($0.text), isMatch: $0.isMatch)
        }
        if bytes[..<range.lowerBound].contains(where: { !Self.isSpace($0) }) {
            pieces.insert(SearchPiece(text: "…", isMatch: false), at: 0)
        }
        if bytes[range.upperBound...].contains(where: { !Self.isSpace($0) }) {
            pieces.append(SearchPiece(text: "…", isMatch: false))
        }
        return Self.merged(pieces)
    }

    /// The marks within the length of an excerpt that match the most clauses, and of these the
    /// most marks.
    private static func densest(
        _ text: SearchText, _ bytes: [UInt8], _ marks: [SearchMark]
    ) -> (Range<Int>, clauses: Int) {
        var best = (range: 0..<0, clauses: 0)
        var uses: [Int: Int] = [:]
        var start = 0
        var length = 0
        // Invariant: `uses` counts the marks from `start` to `end` by clause; `length` is what is
        // between where the first begins and where the last ends.
        for end in marks.indices {
            uses[marks[end].clause, default: 0] += 1
            let place = text.range(of: marks[end].units)
            if end > 0 {
                let before = text.range(of: marks[end - 1].units)
                length += scalars(bytes, before.lowerBound..<place.lowerBound)
            }
            while start < end, length > Self.length {
                uses[marks[start].clause, default: 0] -= 1
                if uses[marks[start].clause] == 0 { uses[marks[start].clause] = nil }
                let (first, second) = (marks[start], marks[start + 1])
                length -= scalars(
                    bytes,
                    text.range(of: first.units).lowerBound..<text.range(of: second.units).lowerBound
                )
                start += 1
            }
            let range = start..<end + 1
            if (uses.count, range.count) > (best.clauses, best.range.count) {
                best = (range, uses.count)
            }
        }
        return best
    }

    /// The bytes of the excerpt.
    private var range: Range<Int> {
        guard !units.isEmpty else { return limited(0..<bytes.count) }
        var first = units.lowerBound
        var last = units.lowerBound
        if !cluster.isEmpty {
            first = marks[cluster.lowerBound].units.lowerBound
            last = marks[cluster].reduce(first) { max($0, $1.units.upperBound - 1) }
        }
        let matched = Self.scalars(bytes, text.range(of: first..<last + 1))
        let spare = max(0, Self.length - matched)
        let before = firstUnit(from: first, within: spare / 3)
        let used = Self.scalars(bytes, start(of: before)..<start(of: first))
        last = lastUnit(from: last, within: spare - used)
        return limited(start(of: before)..<end(of: last))
    }

    /// The range, or its beginning if it is too long.
    private func limited(_ range: Range<Int>) -> Range<Int> {
        guard range.count > Self.limit else { return range }
        var count = 0
        for index in range where bytes[index] & 0xC0 != 0x80 {
            if count == Self.limit { return range.lowerBound..<index }
            count += 1
        }
        return range
    }

    /// The first unit of a word so far before another one; any syllable, if no word begins there.
    private func firstUnit(from unit: Int, within spare: Int) -> Int {
        var index = unit
        var wordStart: Int?
        if isWordStart(unit) { wordStart = unit }
        var (place, spare) = (start(of: unit), spare)
        // Invariant: `place` is where the unit at `index` begins; `spare` more scalars fit.
        while index > units.lowerBound {
            let next = start(of: index - 1)
            spare -= Self.scalars(bytes, next..<place)
            guard spare >= 0 else { break }
            index -= 1
            place = next
            if isWordStart(index) { wordStart = index }
        }
        return wordStart ?? index
    }

    private func lastUnit(from unit: Int, within spare: Int) -> Int {
        var index = unit
        var wordEnd: Int?
        if isWordEnd(unit) { wordEnd = unit }
        var (place, spare) = (end(of: unit), spare)
        // Invariant: `place` is where the unit at `index` ends; `spare` more scalars fit.
        while index + 1 < units.upperBound {
            let next = end(of: index + 1)
            spare -= Self.scalars(bytes, place..<next)
            guard spare >= 0 else { break }
            index += 1
            place = next
            if isWordEnd(index) { wordEnd = index }
        }
        return wordEnd ?? index
    }

    private func isWordStart(_ unit: Int) -> Bool {
        unit == units.lowerBound || !text.units[unit].gap.isInWord
    }

    private func isWordEnd(_ unit: Int) -> Bool {
        unit + 1 == units.upperBound || isWordStart(unit + 1)
    }

    /// Returns the start of a unit, with the marks directly before it.
    private func start(of unit: Int) -> Int {
        let limit = unit == units.lowerBound ? 0 : Int(text.units[unit - 1].end)
        var start = Int(text.units[unit].start)
        while start > limit, !Self.isSpace(bytes[start - 1]) { start -= 1 }
        return start
    }

    /// Returns the end of a unit, with the marks directly after it.
    private func end(of unit: Int) -> Int {
        let isLast = unit + 1 == units.upperBound
        let limit = isLast ? bytes.count : Int(text.units[unit + 1].start)
        var end = Int(text.units[unit].end)
        while end < limit, !Self.isSpace(bytes[end]) { end += 1 }
        return end
    }
}

extension Excerpt {
    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private static func scalars(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        bytes[range].count { $0 & 0xC0 != 0x80 }
    }

    private static func collapsed(_ text: String) -> String {
        var text = text
        let isCollapsed = text.withUTF8 { text in
            var before: UInt8 = 0
            return text.allSatisfy { byte in
                defer { before = byte }
                return byte > 0x20 || byte == 0x20 && before != 0x20
            }
        }
        if isCollapsed { return text }
        var collapsed: [UInt8] = []
        for byte in text.utf8 {
            if !isSpace(byte) {
                collapsed.append(byte)
            } else if collapsed.last != 0x20 {
                collapsed.append(0x20)
            }
        }
        return String(decoding: collapsed, as: UTF8.self)
    }

    private static func merged(_ pieces: [SearchPiece]) -> [SearchPiece] {
        var merged: [SearchPiece] = []
        for piece in pieces {
            if let last = merged.last, last.isMatch == piece.isMatch {
                merged[merged.count - 1].text += piece.text
            } else {
                merged.append(piece)
            }
        }
        return merged
    }
}
