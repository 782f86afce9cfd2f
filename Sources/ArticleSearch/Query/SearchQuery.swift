/// What a reader typed, understood: each required clause has to match, and no excluded one may.
///
/// Any text is a query; one without required clauses finds nothing. A value; use it anywhere.
package struct SearchQuery: Sendable, Hashable {
    /// In Unicode Normalization Form C.
    package let text: String
    /// At most `limitWords`, together with the excluded ones.
    package let required: [Clause]
    package let excluded: [Clause]

    package static let limitWords = 10
    /// Unicode scalars; the rest is ignored.
    package static let limitScalars = 200

    package init(_ text: String) {
        self.text = text
        required = text.lowercased().split(separator: " ").map { word in
            let range = TermRange(TermKey(.word, word.utf8))
            return Clause(alternatives: [Alternative(ranges: [range], eighths: 8)])
        }
        excluded = []
    }

    /// Whether the index alone does not decide what matches: `matches` does.
    package var needsText: Bool { !(required + excluded).allSatisfy(\.isDecidedByKeys) }

    /// A word or a phrase.
    package struct Clause: Sendable, Hashable {
        /// One of them has to match.
        package var alternatives: [Alternative]
        /// Whether keys decide. If they do not, a required clause that matches by its keys may
        /// still not match, and an excluded one has to be ignored by the index.
        package var isDecidedByKeys: Bool
        /// The folded word, without a class, if it may be corrected.
        package var correctable: [UInt8]?

        package init(
            alternatives: [Alternative], isDecidedByKeys: Bool = true, correctable: [UInt8]? = nil
        ) {
            self.alternatives = alternatives
            self.isDecidedByKeys = isDecidedByKeys
            self.correctable = correctable
        }
    }

    /// One way in which a clause matches.
    package struct Alternative: Sendable, Hashable {
        /// Each of them needs a key of the document.
        package var ranges: [TermRange]
        /// How much of the impact counts, 1 to 8.
        package var eighths: Int

        package init(ranges: [TermRange], eighths: Int) {
            self.ranges = ranges
            self.eighths = eighths
        }
    }
}

extension SearchQuery {
    /// Whether the text matches; what an index finds, and what its results are checked with.
    package func matches(_ text: SearchText) -> Bool {
        let document = AnalyzedDocument(text)
        func holds(_ clause: Clause) -> Bool {
            clause.alternatives.contains { alternative in
                alternative.ranges.allSatisfy { range in
                    (0..<document.count).contains { range.contains(document.key(at: $0)) }
                }
            }
        }
        return !required.isEmpty && required.allSatisfy(holds) && !excluded.contains(where: holds)
    }

    /// The query with another word in place of a required clause's.
    ///
    /// - Parameters:
    ///   - index: of a required clause that is `correctable`.
    ///   - word: from the dictionary, without a class.
    package func correcting(_ index: Int, to word: [UInt8]) -> SearchQuery { self }
}
