import ArticleAPI
import ArticleSearch
import BroadsheetTestSupport

/// Random documents and queries of few words, so that they meet.
struct RandomDocuments {
    var random: SplitMix64
    let ids: [Article.ID]
    private var revision = 0

    static let words = [
        "c", "co", "con", "cone", "cones", "const", "swift", "swifts", "swiftui", "utf", "8", "5.9",
        "concurrency", "구조", "조체", "체", "구", "über", "zebra", "concurrent", "a", "an",
    ]

    init(seed: UInt64, ids count: Int) {
        var random = SplitMix64(seed: seed)
        // Some are made in the same millisecond.
        ids = (0..<count).map { place in
            Article.ID(at: Timestamp(milliseconds: Int64(place / 3)), using: &random)
        }
        self.random = random
    }

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func word() -> String {
        // Rare words have greater places.
        Self.words[min(number(Self.words.count), number(Self.words.count))]
    }

    mutating func document(_ id: Article.ID? = nil) -> AnalyzedDocument {
        revision += 1
        var terms: [TermKey: UInt8] = [:]
        for _ in 0..<number(12) {
            let impact = UInt8(number(256))
            let word = word()
            terms[TermKey(.word, word.utf8)] = impact
            if number(3) == 0 { terms[TermKey(.heading, word.utf8.prefix(1))] = impact }
        }
        for _ in 0..<number(3) { terms[.tag("tag\(number(4))")] = 0 }
        if number(2) == 0 { terms[.language("ko")] = 0 }
        return AnalyzedDocument(
            id: id ?? ids[number(ids.count)], revision: revision, published: Int64(number(20)),
            terms: terms.map { (key: $0.key, impact: $0.value) })
    }

    mutating func query() -> ModelQuery {
        var query = ModelQuery(required: (0..<1 + number(3)).map { _ in clause() })
        if number(3) == 0 { query.excluded = [clause()] }
        if number(3) == 0 { query.filter.tags = ["tag\(number(5))"] }
        if number(5) == 0 { query.filter.language = "ko" }
        if number(5) == 0 {
            query.filter.publishedAfter = Timestamp(milliseconds: Int64(number(15)))
        }
        if number(5) == 0 {
            query.filter.publishedBefore = Timestamp(milliseconds: Int64(5 + number(15)))
        }
        return query
    }

    private mutating func clause() -> SearchQuery.Clause {
        SearchQuery.Clause(
            alternatives: (0..<1 + number(3)).map { _ in
                let count = [1, 1, 1, 2, 3][number(5)]
                return SearchQuery.Alternative(
                    ranges: (0..<count).map { _ in range() }, eighths: [8, 7, 5, 4][number(4)])
            })
    }

    private mutating func range() -> TermRange {
        let word = word()
        switch number(4) {
        case 0: return TermRange(prefix: TermKey(.word, word.prefix(1 + number(3)).utf8))
        case 1 where number(2) == 0:
            return TermRange(prefix: TermKey(.heading, word.prefix(1).utf8))
        default: return TermRange(TermKey(.word, word.utf8))
        }
    }
}
