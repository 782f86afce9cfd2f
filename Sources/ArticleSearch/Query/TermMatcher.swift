/// Finds the terms of a text that are in any of some ranges.
struct TermMatcher: Sendable {
    private struct Bounds: Sendable {
        let isHeading: Bool
        /// Without the class.
        let low: [UInt8]
        let high: [UInt8]

        init(_ range: TermRange) {
            isHeading = range.low.first == TermKey.Class.heading.rawValue
            low = Array(range.low.dropFirst())
            high = Array(range.high.dropFirst())
        }
    }

    let ranges: [TermRange]
    private let bounds: [Bounds]
    /// For each byte, true if any range has terms that begin with it.
    private let firsts: [Bool]

    /// The ranges of these clauses, each once.
    init(_ clauses: some Sequence<SearchQuery.Clause>) {
        var ranges: [TermRange] = []
        var seen: Set<TermRange> = []
        for range in clauses.flatMap({ $0.alternatives.flatMap(\.ranges) })
        where seen.insert(range).inserted {
            ranges.append(range)
        }
        self.ranges = ranges
        let bounds = ranges.map { Bounds($0) }
        self.bounds = bounds
        var firsts = Array(repeating: false, count: 256)
        for bounds in bounds {
            let low = bounds.low.first ?? 0
            for byte in low...max(low, bounds.high.first ?? 255) { firsts[Int(byte)] = true }
        }
        self.firsts = firsts
    }

    /// Calls `body` with the index of a range and the units of each term of a field in it.
    @inline(__always)
    func forEachMatch(
        in text: SearchText, _ field: SearchText.Field,
        _ body: (_ range: Int, _ units: Range<Int>) -> Void
    ) {
        TermReader.forEach(text.units, text.folded, in: field) { bytes, units in
            guard firsts[Int(text.folded[bytes.lowerBound])] else { return }
            let first = text.units[units.lowerBound]
            let isHeading = field.kind.isHeading && first.kind != .syllable
            // Of two words that are also one, a range that ends in the first has only this.
            let isCompound =
                units.count == 2 && first.kind == .letters
                && text.units[units.lowerBound + 1].gap == .whiteSpace
            let shortest = isCompound ? first.folded.count + 1 : 0
            for (index, bounds) in bounds.enumerated()
            where bounds.low.count >= shortest
                && isMatch(text.folded[bytes], bounds, isHeading: isHeading)
            {
                body(index, units)
            }
        }
    }

    private func isMatch(
        _ term: ArraySlice<UInt8>, _ bounds: Bounds, isHeading: Bool
    ) -> Bool {
        if bounds.isHeading {
            return isHeading && AnalyzedDocument.firstScalar(term).elementsEqual(bounds.low)
        }
        return !term.lexicographicallyPrecedes(bounds.low)
            && term.lexicographicallyPrecedes(bounds.high)
    }
}

extension SearchQuery {
    /// Returns true if the text matches; decides which documents an index finds, and checks its
    /// results.
    package func matches(_ text: SearchText) -> Bool {
        guard !required.isEmpty else { return false }
        let matcher = TermMatcher(required + excluded)
        var found = Array(repeating: false, count: matcher.ranges.count)
        for field in text.fields {
            matcher.forEachMatch(in: text, field) { range, _ in found[range] = true }
        }
        let keys = Set(zip(matcher.ranges, found).filter(\.1).map(\.0))
        func holds(_ clause: Clause) -> Bool {
            guard clause.alternatives.contains(where: { $0.ranges.allSatisfy(keys.contains) })
            else { return false }
            guard let sequence = clause.sequence else { return true }
            return text.fields.contains { field in
                sequence.first(in: text, field.units, from: field.units.lowerBound) != nil
            }
        }
        return required.allSatisfy(holds) && !excluded.contains(where: holds)
    }
}
