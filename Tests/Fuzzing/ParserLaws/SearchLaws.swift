import ArticleAPI
import ArticleSearch

/// The input of readers' searches: a line with the query, one with a title, and a body.
enum SearchLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let lines = input.split(
            separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self).inNFC }
        let query = SearchQuery(lines[0])
        checkQuery(query, &laws)
        let title = lines.count > 1 ? lines[1] : ""
        let body = lines.count > 2 ? lines[2] : ""
        let text = SearchText(document(title, body))
        checkKeys(AnalyzedDocument(text), &laws)
        checkMarks(query, text, &laws)
        if !query.needsText {
            laws.expect(
                query.matches(text) == holds(query, AnalyzedDocument(text)),
                "a text matches if its keys do")
        }
        return laws.broken
    }

    private static func document(_ title: String, _ body: String) -> SearchDocument {
        let time = Timestamp(milliseconds: 0)
        return SearchDocument(
            id: Article.ID(at: time), revision: 1, publishedAt: time, title: title, summary: "",
            body: body, tags: [ArticleTag(named: String(title.prefix(10)))])
    }

    private static func checkQuery(_ query: SearchQuery, _ laws: inout ViolationCollector) {
        let clauses = query.required + query.excluded
        laws.expect(clauses.count <= SearchQuery.limitWords, "a query has a limit of words")
        laws.expect(
            query.text.unicodeScalars.count <= SearchQuery.limitScalars, "a query has a length")
        laws.expect(
            clauses.allSatisfy { clause in
                (1...8).contains(clause.alternatives.count)
                    && clause.alternatives.allSatisfy { (1...16).contains($0.ranges.count) }
            }, "a clause has a limit of ranges")
        laws.expect(SearchQuery(query.text) == query, "a query is that of its text")
        if query.excluded.isEmpty, !query.required.isEmpty {
            laws.expect(
                query.matches(SearchText(document(query.text, ""))),
                "a title is found by its own words")
        }
        for (index, clause) in query.required.enumerated() where clause.correctable != nil {
            let corrected = query.correcting(index, to: Array("word".utf8))
            laws.expect(corrected.text.contains("word"), "a corrected query has the correction")
        }
    }

    private static func checkKeys(_ document: AnalyzedDocument, _ laws: inout ViolationCollector) {
        let keys = (0..<document.count).map { document.key(at: $0) }
        laws.expect(
            zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) },
            "keys ascend")
        laws.expect(
            keys.indices.allSatisfy { index in
                let isFilter = keys[index].first == TermKey.Class.filter.rawValue
                return keys[index].count <= (isFilter ? 802 : 65)
                    && (document.impact(at: index) == 0) == isFilter
            }, "terms are short, and have an impact")
    }

    private static func checkMarks(
        _ query: SearchQuery, _ text: SearchText, _ laws: inout ViolationCollector
    ) {
        let marks = SearchMarks(query)
        let title = marks.title(of: text)
        laws.expect(
            title.map(\.text).joined() == text.document.title, "the pieces are the title")
        let excerpt = marks.excerpt(of: text)
        for pieces in [title, excerpt] {
            laws.expect(pieces.allSatisfy { !$0.text.isEmpty }, "no piece is empty")
            laws.expect(
                zip(pieces, pieces.dropFirst()).allSatisfy { !$0.isMatch || !$1.isMatch },
                "matches that touch are one piece")
        }
        let length = excerpt.reduce(0) { $0 + $1.text.unicodeScalars.count }
        laws.expect(length <= 322, "an excerpt has a limit")
    }

    /// Returns true if a query matches by the keys of a document, as an index decides it.
    private static func holds(_ query: SearchQuery, _ document: AnalyzedDocument) -> Bool {
        func holds(_ clause: SearchQuery.Clause) -> Bool {
            clause.alternatives.contains { alternative in
                alternative.ranges.allSatisfy { range in
                    (0..<document.count).contains { range.contains(document.key(at: $0)) }
                }
            }
        }
        return !query.required.isEmpty && query.required.allSatisfy(holds)
            && !query.excluded.contains(where: holds)
    }
}
