import ArticleAPI

/// A parsed query of a reader: each required clause has to match, and no excluded one may.
///
/// Any text is a query; one without required clauses finds nothing.
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
        // Decomposed Hangul has up to three scalars for one.
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(600))).inNFC
        self.text = String(
            String.UnicodeScalarView(beginning.unicodeScalars.prefix(Self.limitScalars)))
        var reader = QueryReader(self.text)
        reader.read()
        required = Self.joined(reader.required, in: Array(self.text.utf8))
        excluded = reader.excluded
    }

    /// The clauses, those of two words in a row also with both as one, so that `app store` finds
    /// `AppStore`.
    private static func joined(_ clauses: [Clause], in text: [UInt8]) -> [Clause] {
        var joined = clauses
        for index in clauses.indices.dropFirst() {
            guard let first = clauses[index - 1].word, let second = clauses[index].word,
                first.count + second.count <= TermReader.limitBytes,
                clauses[index - 1].range.upperBound < clauses[index].range.lowerBound
            else { continue }
            let gap = text[clauses[index - 1].range.upperBound..<clauses[index].range.lowerBound]
            guard String(decoding: gap, as: UTF8.self).allSatisfy(\.isWhitespace) else { continue }
            let term = TermKey(.word, first + second)
            var both = [Alternative(ranges: [TermRange(term)], eighths: 6)]
            if clauses[index].isTyped {
                both.append(Alternative(ranges: [TermRange(prefix: term)], eighths: 4))
            }
            joined[index - 1].alternatives += both
            joined[index].alternatives += both
        }
        return joined
    }

    /// True if the index alone does not decide which documents match: `matches` does.
    package var needsText: Bool {
        required.contains { !$0.isDecidedByKeys } || excluded.contains { !$0.isDecidedByKeys }
    }

    /// Returns true if both find the same, although they may be typed differently.
    package func means(_ other: SearchQuery) -> Bool {
        func areEqual(_ one: Clause, _ other: Clause) -> Bool {
            one.alternatives == other.alternatives && one.sequence == other.sequence
        }
        return required.elementsEqual(other.required, by: areEqual)
            && excluded.elementsEqual(other.excluded, by: areEqual)
    }

    /// A word or a phrase.
    package struct Clause: Sendable, Hashable {
        /// One of them has to match.
        package var alternatives: [Alternative]
        /// True if keys decide. If they do not, a required clause that matches by its keys may
        /// still not match, and an excluded one has to be ignored by the index.
        package var isDecidedByKeys: Bool { sequence == nil }
        /// The folded word, without a class, if the clause is one of letters.
        let word: [UInt8]?
        /// True for the last word of a query, which may not be typed to its end.
        let isTyped: Bool
        /// The folded word, without a class, if it may be corrected.
        package var correctable: [UInt8]? {
            word.flatMap { Spelling.isCorrected($0[...]) ? $0 : nil }
        }
        /// The sequence that the text has to contain, if keys do not decide.
        let sequence: TextSequence?
        /// The range of the clause in the query's text, in UTF-8.
        let range: Range<Int>

        package init(alternatives: [Alternative]) {
            self.init(alternatives: alternatives, range: 0..<0)
        }

        init(
            alternatives: [Alternative], word: [UInt8]? = nil, isTyped: Bool = false,
            sequence: TextSequence? = nil, range: Range<Int>
        ) {
            self.alternatives = alternatives
            self.word = word
            self.isTyped = isTyped
            self.sequence = sequence
            self.range = range
        }
    }

    /// One way in which a clause matches.
    package struct Alternative: Sendable, Hashable {
        /// Each of them needs a key of the document.
        package var ranges: [TermRange]
        /// The eighths of the impact that count, 1 to 8.
        package var eighths: Int

        package init(ranges: [TermRange], eighths: Int) {
            self.ranges = ranges
            self.eighths = eighths
        }
    }

    /// The query with another word in place of a required clause's.
    ///
    /// - Parameters:
    ///   - index: of a required clause that is `correctable`.
    ///   - word: from the dictionary, without a class.
    package func correcting(_ index: Int, to word: [UInt8]) -> SearchQuery {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(required[index].range, with: word)
        return SearchQuery(String(decoding: bytes, as: UTF8.self))
    }
}
