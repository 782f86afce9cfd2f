import ArticleAPI
import ArticleSearch
import BroadsheetTestSupport
import Testing

/// Real texts and queries; see ``IndexModelTests`` for made-up keys.
@Suite struct MemoryIndexTests {
    private func index(_ documents: [SearchDocument]) throws -> MemoryIndex {
        var index = MemoryIndex()
        for document in documents { try index.add(AnalyzedDocument(document)) }
        return index
    }

    @Test func `it finds and corrects as the model does`() throws {
        let documents = RecallArticle.all.map(\.document)
        let (index, model) = (try index(documents), NaiveSearch(documents))
        for text in RecallQuery.all.map(\.text) + ["swift -\"rye flour\"", "-c", "", "rye -bread"] {
            let query = SearchQuery(text)
            let found = try index.hits(SearchPlan(query), limit: 1_000)
            let expected = model.hits(query, checksText: false)
            #expect(found.hits.map(\.id) == expected.map(\.id), "\(text)")
            #expect(found.hits.map(\.score) == expected.map(\.score), "\(text)")
            let correction = try index.correction(of: query)
            #expect(correction == model.corrected(query), "\(text)")
        }
    }

    @Test func `filters leave out, and do not change a score`() throws {
        let author = SearchDocument.sample(9, authors: ["Noa"]).authors.map(\.id)
        let documents = [
            SearchDocument.sample(1, title: "Rye", tags: ["Bread"], language: "en"),
            SearchDocument.sample(2, title: "Rye", tags: ["Bread", "Old"], language: "ko"),
            SearchDocument.sample(9, title: "Rye", authors: ["Noa"]),
            SearchDocument.sample(10, title: "Oats", tags: ["Bread"]),
        ]
        let (index, model) = (try index(documents), NaiveSearch(documents))
        let query = SearchQuery("rye")
        let scores = try index.hits(SearchPlan(query), limit: 9).hits.map(\.score)
        var filters = [SearchFilter](repeating: SearchFilter(), count: 6)
        filters[0].tags = ["bread"]
        filters[1].tags = ["bread", "old"]
        filters[2].language = "ko"
        filters[3].author = author.first
        filters[4].publishedAfter = documents[0].publishedAt
        filters[5].publishedBefore = documents[2].publishedAt
        let counts = try filters.map { filter in
            let found = try index.hits(SearchPlan(query, filter), limit: 9)
            #expect(found.hits.map(\.id) == model.hits(query, filter).map(\.id))
            #expect(found.hits.allSatisfy { scores.contains($0.score) })
            #expect(found.frequencies == [3])
            return found.count
        }
        #expect(counts == [2, 1, 1, 1, 2, 2])
    }

    @Test func `removed words are neither found nor proposed`() throws {
        var index = try index([
            .sample(1, title: "Concurrency"), .sample(2, title: "Concurrent queues"),
        ])
        let query = SearchQuery("concurency")
        #expect(try index.correction(of: query)?.text == "concurrency")
        #expect(try index.remove(SearchDocument.sample(1).id))
        #expect(try index.correction(of: query) == nil)
        #expect(try index.hits(SearchPlan(SearchQuery("concurrency")), limit: 1).count == 0)
        #expect(try !index.remove(SearchDocument.sample(1).id))
    }

    @Test func `thousands of edits leave few blocks, and no old words`() throws {
        var index = MemoryIndex()
        var sizes: [Int] = []
        for revision in 1...2_000 {
            var document = SearchDocument.sample(revision % 20, title: "Word\(revision % 50)")
            document.revision = revision
            try index.add(AnalyzedDocument(document))
            sizes.append(index.bytes)
        }
        #expect(index.count == 20)
        #expect((sizes.max() ?? 0) < 20_000)
        let all = try index.hits(SearchPlan(SearchQuery("word")), limit: 100)
        #expect(all.count == 20 && all.hits.allSatisfy { $0.revision > 1_980 })
    }
}
