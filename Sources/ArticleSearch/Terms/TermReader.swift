/// The terms of units, which an index stores for a text, and queries ask for.
enum TermReader {
    /// Bytes of a term; the rest of a longer word is not compared.
    static let limitBytes = 64

    /// Calls `body` for each term, with the place of its folded bytes and its units.
    @inline(__always)
    static func forEach(
        _ units: [TextUnit], _ folded: [UInt8], in field: SearchText.Field,
        _ body: (_ bytes: Range<Int>, _ units: Range<Int>) -> Void
    ) {
        let range = field.units
        /// The first of the units that are one word with the next.
        var first = range.lowerBound
        // Invariant: the terms of the units before `index` are read, except for the word that
        // begins with `first`, if it has several units.
        for index in range {
            let unit = units[index]
            let next = index + 1 < range.upperBound ? units[index + 1] : nil
            switch unit.kind {
            case .syllable:
                let isLast = next?.kind != .syllable || next?.gap != TextUnit.Gap.none
                if isLast { body(unit.folded, index..<index + 1) }
                if let next, next.kind == .syllable, next.gap.isOpen {
                    body(unit.folded.lowerBound..<next.folded.upperBound, index..<index + 2)
                }
            case .code: body(unit.folded, index..<index + 1)
            case .letters:
                body(cut(unit.folded, folded), index..<index + 1)
                if let next, isCompound(unit, next, inHeading: field.kind.isHeading) {
                    let both = unit.folded.lowerBound..<next.folded.upperBound
                    if both.count <= limitBytes { body(both, index..<index + 2) }
                }
            case .number: forEachPart(unit.folded, folded) { body($0, index..<index + 1) }
            }
            let isJoined = unit.kind.isJoinable && next?.kind.isJoinable == true
            if isJoined, next?.gap.isInWord == true { continue }
            if index > first {
                let word = units[first].folded.lowerBound..<unit.folded.upperBound
                if word.count <= limitBytes { body(word, first..<index + 1) }
            }
            first = index + 1
        }
    }

    /// Returns true if two words may also be written as one: `App Store`. In texts that are not
    /// headings, only names are, as most pairs of words are no compounds, and would double the
    /// index.
    @inline(__always)
    static func isCompound(_ unit: TextUnit, _ next: TextUnit, inHeading isHeading: Bool) -> Bool {
        unit.kind == .letters && next.kind == .letters && next.gap == .whiteSpace
            && (isHeading || unit.isCapital && next.isCapital)
    }

    /// The number and, if it has dots, its beginnings and parts: `5.9.1`, `5.9`, `5`,
    /// `9`, `1`.
    @inline(__always)
    private static func forEachPart(
        _ number: Range<Int>, _ folded: [UInt8], _ body: (Range<Int>) -> Void
    ) {
        let number = cut(number, folded)
        body(number)
        guard let dot = folded[number].firstIndex(of: dot) else { return }
        var start = number.lowerBound
        for index in dot..<number.upperBound where folded[index] == Self.dot {
            if start > number.lowerBound { body(number.lowerBound..<index) }
            body(start..<index)
            start = index + 1
        }
        if start < number.upperBound { body(start..<number.upperBound) }
    }

    private static let dot = UInt8(ascii: ".")

    /// The first bytes, whole scalars of them.
    @inline(__always)
    static func cut(_ bytes: Range<Int>, _ folded: [UInt8]) -> Range<Int> {
        if bytes.count <= limitBytes { return bytes }
        var end = bytes.lowerBound + limitBytes
        while folded[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes.lowerBound..<end
    }

    /// Returns the number of words in the units: a run of letters or a number is one, two syllables
    /// of a run are one.
    static func words(_ units: ArraySlice<TextUnit>) -> Int {
        var words = 0
        var syllables = 0
        for unit in units {
            if unit.kind == .syllable, unit.gap == .none || syllables == 0 {
                syllables += 1
                continue
            }
            words += (syllables + 1) / 2
            syllables = unit.kind == .syllable ? 1 : 0
            if unit.kind != .syllable { words += 1 }
        }
        return words + (syllables + 1) / 2
    }
}
