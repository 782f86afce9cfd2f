package import ArticleAPI

/// Shows where a query matches.
package struct SearchMarks: Sendable {
    private let clauses: [SearchQuery.Clause]
    private let matcher: TermMatcher
    /// The clause of each of the matcher's ranges, and whether only a first syllable is typed.
    private let owners: [(clause: Int, isSyllable: Bool)]

    package init(_ query: SearchQuery) {
        clauses = query.required
        matcher = TermMatcher(query.required.filter(\.isDecidedByKeys))
        owners = matcher.ranges.map { range in
            let clause = query.required.firstIndex { clause in
                clause.isDecidedByKeys
                    && clause.alternatives.contains { $0.ranges.contains(range) }
            }
            // The bytes of one scalar above U+07FF, behind the class.
            return (clause ?? 0, range.low.count == 4 && range.low[1] >= 0xE0)
        }
    }

    /// The title in pieces.
    package func title(of text: SearchText) -> [SearchPiece] {
        let bytes = Array(text.document.title.utf8)
        let marks = marks(in: text, .title).map { text.range(of: $0.units) }
        return HighlightedText(bytes, marks).pieces(0..<bytes.count)
    }

    /// About 160 characters of the summary or the body around matches, as plain text in pieces,
    /// with `…` where it is cut.
    package func excerpt(of text: SearchText) -> [SearchPiece] {
        let summary = Excerpt(
            text, Array(text.document.summary.utf8), .summary, marks(in: text, .summary))
        let body = Excerpt(text, text.body, .body, marks(in: text, .body))
        if body.rank > summary.rank || text.document.summary.isEmpty { return body.pieces }
        return summary.pieces
    }

    /// The matches in a field, in the order in which they begin.
    private func marks(in text: SearchText, _ kind: SearchText.Field.Kind) -> [SearchMark] {
        guard let field = text.fields.first(where: { $0.kind == kind }) else { return [] }
        var marks: [SearchMark] = []
        matcher.forEachMatch(in: text, field) { range, units in
            let (clause, isSyllable) = owners[range]
            let end = isSyllable ? units.lowerBound + 1 : units.upperBound
            marks.append(SearchMark(units: units.lowerBound..<end, clause: clause))
        }
        for (index, clause) in clauses.enumerated() {
            guard let sequence = clause.sequence else { continue }
            var start = field.units.lowerBound
            while let found = sequence.first(in: text, field.units, from: start) {
                marks.append(SearchMark(units: found, clause: index))
                start = found.upperBound
            }
        }
        return marks.sorted { $0.units.lowerBound < $1.units.lowerBound }
    }
}

/// Units that match a clause of a query.
struct SearchMark {
    let units: Range<Int>
    let clause: Int
}

extension SearchText {
    /// Returns the range of units in their text.
    func range(of units: Range<Int>) -> Range<Int> {
        Int(self.units[units.lowerBound].start)..<Int(self.units[units.upperBound - 1].end)
    }
}
