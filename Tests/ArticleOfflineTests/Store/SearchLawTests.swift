import ArticleAPI
import ArticleSearch
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Whatever was stored in which order, a search finds what comparing each listed article finds.
@Suite struct SearchLawTests {
    private static let words = ["bread", "rye", "Swift", "구조체", "뷰", "5.9", "naïve", "oats"]
    static let queries = [
        "bread", "ry", "swift 구조", "\"rye bread\"", "bread -oats", "NAIVE", "5.9", "뷰", "ada",
        "grace bread", "mine", "breda",
    ]

    @Test(arguments: UInt64(1)...8)
    func `a search finds what comparing every article finds`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let store = try ModelStore(.memory)
        for step in 1...60 {
            try await Self.change(store, step, &random)
            guard let query = Self.queries.randomElement(using: &random) else { return }
            let page = try await store.search(query, limit: 1_000)
            let used = SearchQuery(page.correctedTo ?? query)
            let listed = try await store.loadArticles(limit: 1_000)
            let expected = listed.filter {
                used.matches(SearchText(SearchDocument(shown: $0.article)))
            }
            let found = page.items.map(\.article)
            #expect(Set(found.map(\.id)) == Set(expected.map(\.id)), "\(query) in step \(step)")
            for article in found { #expect(listed.contains(article)) }
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
            words.randomElement(using: &random) ?? ""
        }.joined(separator: " ")
    }

    /// One of the changes that a store learns of; a step is also a revision.
    static func change(
        _ store: ModelStore, _ step: Int, _ random: inout SplitMix64
    ) async throws {
        let number = Int.random(in: 1...12, using: &random)
        let id: Article.ID = Samples.id(number)
        switch Int.random(in: 0...9, using: &random) {
        case 0: try await store.merge([.removed(Article.self, id, .gone(revision: step))])
        case 1:
            let author = Samples.author(
                number % 2, revision: step, name: ["Ada", "Grace"].randomElement(using: &random)!)
            try await store.merge([
                .facts(ModelFacts(author, knowing: .all, seenAt: Samples.time(step)))
            ])
        case 2:
            guard let known = try await store.loadArticle(id)?.article else { return }
            let write = try Writes.update(step, of: known, title: "Mine \(text(&random))")
            try await store.commit(StoreChanges(writes: [write]))
        case 3:
            let numbers = try await store.loadWrites().map(\.number)
            try await store.commit(StoreChanges(finishedWrites: numbers))
        default:
            let isWhole = Bool.random(using: &random)
            var article = Samples.article(
                number, revision: step, title: text(&random), body: isWhole ? text(&random) : nil)
            article.summary = text(&random)
            article.authors = [.init(id: Samples.id(number % 2), name: "Ada", revision: 1)]
            try await store.merge([
                .facts(
                    ModelFacts(
                        article, knowing: isWhole ? .inArticles : .inLists,
                        seenAt: Samples.time(step)))
            ])
        }
    }
}
