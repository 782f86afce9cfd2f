/// Reads a word or a phrase of a query into clauses.
struct ClauseReader {
    private(set) var clauses: [SearchQuery.Clause] = []
    private let units: [TextUnit]
    private let folded: [UInt8]
    /// The start of the text in the query's.
    private let start: Int

    /// More keys of one word are left to its text.
    private static let limitRanges = 16
    private static let limitPieces = 8

    init(_ text: String, start: Int) {
        var reader = TextReader()
        reader.read(Array(text.utf8))
        units = reader.units
        folded = reader.folded
        self.start = start
    }

    /// One clause that is exactly this text.
    mutating func readWhole() {
        guard let first = units.first, let last = units.last else { return }
        let range = start + Int(first.start)..<start + Int(last.end)
        if units.count == 1, first.kind != .syllable {
            let exact = alternative([keys(of: first)], 8)
            clauses.append(SearchQuery.Clause(alternatives: [exact], range: range))
            return
        }
        var ranges: [TermRange] = []
        for (index, unit) in units.enumerated() where ranges.count < Self.limitRanges {
            guard unit.kind == .syllable else {
                ranges.append(keys(of: unit))
                continue
            }
            let next = index + 1 < units.count ? units[index + 1] : nil
            if let next, next.kind == .syllable, next.gap.isOpen {
                ranges.append(keys(of: unit, next))
            } else if index == 0 || units[index - 1].kind != .syllable || !unit.gap.isOpen {
                ranges.append(TermRange(prefix: TermKey(.word, folded[unit.folded])))
            }
        }
        let isPair = units.count == 2 && ranges.count == 1
        clauses.append(
            SearchQuery.Clause(
                alternatives: [alternative(ranges, 8)],
                sequence: units.count == 1 || isPair ? nil : sequence(units[...], lastEnd: nil),
                range: range))
    }

    /// Reads a clause for each word.
    ///
    /// - Parameter isTyped: True if the last one may go on.
    mutating func readWords(isTyped: Bool) {
        var first = 0
        // Invariant: the words of the units before `first` are read.
        while first < units.count {
            let end = endOfWord(from: first)
            let word = units[first..<end]
            let isLast = isTyped && end == units.count
            let range = start + Int(units[first].start)..<start + Int(units[end - 1].end)
            if word.first?.kind == .syllable {
                readSyllables(word, range, isTyped: isLast)
            } else {
                readLetters(word, range, isTyped: isLast)
            }
            first = end
        }
    }

    private func endOfWord(from first: Int) -> Int {
        let kind = units[first].kind
        return (first + 1..<units.count).first { index in
            let unit = units[index]
            if kind == .syllable { return unit.kind != .syllable || unit.gap != .none }
            return !kind.isJoinable || !unit.kind.isJoinable || !unit.gap.isInWord
        } ?? units.count
    }
}

// MARK: Letters and digits

extension ClauseReader {
    private mutating func readLetters(
        _ word: ArraySlice<TextUnit>, _ range: Range<Int>, isTyped: Bool
    ) {
        guard let first = word.first, let last = word.last else { return }
        var alternatives: [SearchQuery.Alternative] = []
        let whole = first.folded.lowerBound..<last.folded.upperBound
        let isOne = word.count == 1
        if isOne || whole.count <= TermReader.limitBytes {
            let term = Array(folded[TermReader.cut(whole, folded)])
            alternatives.append(alternative([TermRange(TermKey(.word, term))], 8))
            if isOne, first.kind == .letters {
                for form in WordForms.others(of: term) {
                    alternatives.append(alternative([TermRange(TermKey(.word, form))], 7))
                }
            }
            if isTyped, first.kind != .code { alternatives.append(prefix(of: term)) }
        }
        if !isOne, word.count <= Self.limitPieces || alternatives.isEmpty {
            let pieces = word.prefix(Self.limitPieces).map { keys(of: $0) }
            alternatives.append(alternative(pieces, 5))
            if isTyped, last.folded.count > 1 {
                let end = folded[TermReader.cut(last.folded, folded)]
                let open = TermRange(prefix: TermKey(.word, end))
                alternatives.append(alternative(pieces.dropLast() + [open], 4))
            }
        }
        let isWord = isOne && first.kind == .letters
        clauses.append(
            SearchQuery.Clause(
                alternatives: alternatives, word: isWord ? Array(folded[whole]) : nil,
                isTyped: isTyped, range: range))
    }

    /// All words that begin with a term; those of titles, tags and authors if it is one letter.
    private func prefix(of term: [UInt8]) -> SearchQuery.Alternative {
        let isLetter = AnalyzedDocument.firstScalar(term[...]).count == term.count
        let range =
            isLetter
            ? TermRange(TermKey(.heading, term)) : TermRange(prefix: TermKey(.word, term))
        return alternative([range], 4)
    }

    private func keys(of unit: TextUnit) -> TermRange {
        TermRange(TermKey(.word, folded[TermReader.cut(unit.folded, folded)]))
    }

    private func alternative(_ ranges: [TermRange], _ eighths: Int) -> SearchQuery.Alternative {
        var distinct: [TermRange] = []
        for range in ranges where !distinct.contains(range) { distinct.append(range) }
        return SearchQuery.Alternative(ranges: distinct, eighths: eighths)
    }
}

// MARK: Syllables

extension ClauseReader {
    /// Overlapping pairs; a single syllable is the beginning of pairs.
    private mutating func readSyllables(
        _ word: ArraySlice<TextUnit>, _ range: Range<Int>, isTyped: Bool
    ) {
        guard let last = word.last else { return }
        let end = isTyped ? endOfOpenSyllable(folded[last.folded]) : nil
        var ranges: [TermRange]
        var open: TermRange?
        if word.count == 1 {
            let key = TermKey(.word, folded[last.folded])
            ranges = [TermRange(prefix: key)]
            open = end.map { TermRange(low: key.bytes, high: TermKey(.word, $0).bytes) }
        } else {
            ranges = zip(word, word.dropFirst()).map { keys(of: $0, $1) }
            if let end, let before = word.dropLast().last {
                open = TermRange(
                    low: TermKey(.word, folded[before.folded] + folded[last.folded]).bytes,
                    high: TermKey(.word, folded[before.folded] + end).bytes)
            }
        }
        if ranges.count > Self.limitRanges {
            ranges.removeLast(ranges.count - Self.limitRanges)
            open = nil
        }
        var alternatives = [alternative(ranges, 8)]
        if let open { alternatives.append(alternative(ranges.dropLast() + [open], 4)) }
        clauses.append(
            SearchQuery.Clause(
                alternatives: alternatives,
                sequence: word.count > 2 ? sequence(word, lastEnd: end) : nil, range: range))
    }

    /// The pair of two syllables.
    private func keys(of first: TextUnit, _ second: TextUnit) -> TermRange {
        TermRange(TermKey(.word, folded[first.folded] + folded[second.folded]))
    }

    /// The end of the syllables that a Hangul syllable without a final consonant may become.
    private func endOfOpenSyllable(_ syllable: ArraySlice<UInt8>) -> [UInt8]? {
        guard let scalar = String(decoding: syllable, as: UTF8.self).unicodeScalars.first,
            (0xAC00...0xD7A3).contains(scalar.value), (scalar.value - 0xAC00) % 28 == 0,
            let end = Unicode.Scalar(scalar.value + 28)
        else { return nil }
        return Array(String(end).utf8)
    }

    private func sequence(_ units: ArraySlice<TextUnit>, lastEnd: [UInt8]?) -> TextSequence {
        let sequence = units.indices.map { index in
            let isSyllable = units[index].kind == .syllable
            return TextSequence.Unit(
                folded: Array(folded[units[index].folded]), isSyllable: isSyllable,
                isPaired: isSyllable && index > units.startIndex && units[index].gap.isOpen
                    && units[index - 1].kind == .syllable)
        }
        return TextSequence(units: sequence, lastEnd: lastEnd)
    }
}
