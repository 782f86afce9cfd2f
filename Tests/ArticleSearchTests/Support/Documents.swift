import ArticleAPI
import ArticleSearch

extension SearchDocument {
    /// An article with only what a test is about; `number` makes its id, and its day.
    static func sample(
        _ number: Int = 1, title: String = "", summary: String = "", body: String = "",
        tags: [String] = [], authors: [String] = [], language: String = "en"
    ) -> SearchDocument {
        let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 86_400_000)
        var random = Fixed(value: UInt64(number))
        return SearchDocument(
            id: Article.ID(at: time, using: &random), revision: 1, publishedAt: time,
            title: title, summary: summary, body: body, tags: tags.map { ArticleTag(named: $0) },
            authors: authors.map {
                Author(id: ArticleAPI.Author.ID(at: time, using: &random), name: $0)
            }, language: language)
    }
}

/// Always the same number.
private struct Fixed: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }
}

extension AnalyzedDocument {
    /// The terms of a class, in order.
    func terms(_ kind: TermKey.Class = .word) -> [String] {
        (0..<count).map { key(at: $0) }.filter { $0.first == kind.rawValue }
            .map { String(decoding: $0.dropFirst(), as: UTF8.self) }
    }

    func impact(of term: String) -> Int? {
        (0..<count).first { key(at: $0).elementsEqual(TermKey(.word, term.utf8).bytes) }
            .map { Int(impact(at: $0)) }
    }
}

/// Returns true if a query finds a document.
func finds(_ query: String, _ document: SearchDocument) -> Bool {
    SearchQuery(query).matches(SearchText(document))
}
