import ArticleAPI
import ArticleSearch
import Testing

/// Queries as people type them, over invented articles: what they look for is among the first ten.
@Suite struct RecallTests {
    @Test func `at least 95 of 100 expected articles are among the first ten`() {
        let articles = RecallArticle.all
        let names = Dictionary(uniqueKeysWithValues: articles.map { ($0.document.id, $0.name) })
        let search = NaiveSearch(articles.map(\.document))
        var expected = 0
        var found = 0
        var missing: [String] = []
        for (text, wanted) in RecallQuery.all {
            var query = SearchQuery(text)
            if search.hits(query).isEmpty, let corrected = search.corrected(query) {
                query = corrected
            }
            let first = search.hits(query).prefix(10).compactMap { names[$0.id] }
            expected += wanted.count
            found += wanted.count { first.contains($0) }
            let lost = wanted.filter { !first.contains($0) }
            if !lost.isEmpty { missing.append("\(text): \(lost)") }
        }
        #expect(articles.count >= 60)
        #expect(RecallQuery.all.count >= 80)
        #expect(Double(found) >= 0.95 * Double(expected), "\(missing)")
    }

    @Test func `every query expects articles that there are`() {
        let names = RecallArticle.all.map(\.name)
        #expect(Set(names).count == names.count)
        for (text, wanted) in RecallQuery.all {
            #expect(!wanted.isEmpty && wanted.allSatisfy(names.contains), "\(text)")
        }
    }

    @Test func `exclusions and phrases leave the others out`() {
        let search = NaiveSearch(RecallArticle.all.map(\.document))
        let names = Dictionary(
            uniqueKeysWithValues: RecallArticle.all.map { ($0.document.id, $0.name) })
        func found(_ text: String) -> [String] {
            search.hits(SearchQuery(text)).compactMap { names[$0.id] }
        }
        #expect(!found("김치 -찌개").contains("kimchistew"))
        #expect(found("\"rye flour\"").sorted() == ["ryebread", "sourdough"])
        #expect(found("c++").sorted() == ["cpp", "swift59"])
        #expect(found("c#") == ["cpp"])
        #expect(found("5.9") == ["swift59"])
        #expect(found("rye bread").first == "ryebread")
    }
}
