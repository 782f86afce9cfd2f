import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The state of a store does not depend on the order in which responses arrive.
@Suite struct MergeLawTests {
    /// Random responses about a few articles. Equal revisions are equal but for the number of
    /// comments, as at a backend.
    private struct History {
        var random: SplitMix64
        private var bodies: [String: String] = [:]

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        mutating func updates() throws -> ModelUpdate {
            let number = Int.random(in: 1...4, using: &random)
            let revision = Int.random(in: 1...5, using: &random)
            // A later request does not see an earlier revision.
            let seconds = 10 * revision + Int.random(in: 0...9, using: &random)
            switch Int.random(in: 0...9, using: &random) {
            case 0: return .removed(Article.self, Samples.id(number), .gone(revision: revision))
            case 1:
                return .removed(Article.self, Samples.id(number), .unmatched(revision: revision))
            case 2:
                let time = Samples.time(seconds)
                return .removed(Article.self, Samples.id(number), .notFound(seenAt: time))
            case 3:
                let author = Samples.author(7, revision: revision, name: "Ada \(revision)")
                return .facts(ModelFacts(author, knowing: .all, seenAt: Samples.time(seconds)))
            case 4:
                let comment = ModelFacts(
                    Samples.comment(number, on: number, revision: revision), knowing: .all,
                    seenAt: Samples.time(seconds))
                return .facts(comment)
            case 5, 6:
                var names = ["title", "revision", "authors"]
                if Bool.random(using: &random) { names += ["tags", "summary", "publishedAt"] }
                let fields = FieldSelection(names)
                let part = try PartialArticle(mapping: article(number, revision).json(fields))
                return .facts(ModelFacts(part, fields, seenAt: Samples.time(seconds)))
            case 7, 8:
                let facts = ModelFacts(
                    article(number, revision), knowing: .inLists, seenAt: Samples.time(seconds))
                return .facts(facts)
            default:
                var whole = article(number, revision)
                whole.body = "Body \(number).\(revision)"
                whole.commentCount = Int.random(in: 0...3, using: &random)
                return .facts(
                    ModelFacts(whole, knowing: .all, seenAt: Samples.time(seconds)))
            }
        }

        private func article(_ number: Int, _ revision: Int) -> Article {
            var article = Samples.article(number, revision: revision)
            article.tags =
                revision % 2 == 0 ? [ArticleTag(named: "Even")] : [ArticleTag(named: "Odd")]
            article.publishedAt = revision % 3 == 0 ? nil : Samples.time(10 * revision + number)
            // A by-line has the name of the author's revision at that time.
            article.authors = [
                Author.Reference(id: Samples.id(7), name: "Ada \(revision)", revision: revision)
            ]
            return article
        }
    }

    /// All that can be read of a store.
    private struct State {
        var facts: [ModelFacts<Article>?] = []
        var lists: [[CachedArticle]] = []
        var author: Author?
        var comments: [[CachedComment]] = []

        init(of store: ModelStore) async throws {
            for number in 1...4 {
                facts.append(try await store.loadFacts(Article.self, Samples.id(number)))
                comments.append(try await store.loadComments(on: Samples.id(number)))
            }
            for order in ArticleSort.allCases {
                lists.append(try await store.loadArticles(order: order))
                lists.append(
                    try await store.loadArticles(
                        matching: ArticleQuery(tags: ["even"]), order: order))
            }
            author = try await store.load(Author.self, Samples.id(7))
        }
    }

    @Test(arguments: UInt64(1)...30)
    func `the order and the repetition of responses do not matter`(seed: UInt64) async throws {
        var history = History(seed: seed)
        var updates: [ModelUpdate] = []
        for _ in 0..<Int.random(in: 4...30, using: &history.random) {
            updates.append(try history.updates())
        }
        let first = try ModelStore(.memory)
        for updates in updates { try await first.merge([updates]) }
        let expected = try await State(of: first)

        // In another order, with repetitions, in groups, and with restarts between them.
        var again = (updates + updates).shuffled(using: &history.random)
        let folder = try StoreFolder()
        var store = try folder.open()
        while !again.isEmpty {
            let count = Int.random(in: 1...min(5, again.count), using: &history.random)
            try await store.merge(Array(again.prefix(count)))
            again.removeFirst(count)
            if Int.random(in: 0...3, using: &history.random) == 0 { store = try folder.open() }
        }
        for _ in 1...2 {
            let found = try await State(of: store)
            #expect(found.facts == expected.facts)
            #expect(found.lists == expected.lists)
            #expect(found.comments == expected.comments && found.author == expected.author)
            store = try folder.open()
        }
        #expect(folder.events.isEmpty)
    }

    @Test(arguments: UInt64(1)...20)
    func `a store knows what merging the facts gives`(seed: UInt64) async throws {
        var history = History(seed: seed &+ 1_000)
        let store = try ModelStore(.memory, limits: ModelStore.Limits(memoryBytes: 0))
        var merged: [Article.ID: ModelFacts<Article>] = [:]
        for _ in 0..<40 {
            guard let update = try history.updates().content as? FactsUpdate<Article> else {
                continue
            }
            let facts = update.facts
            try await store.merge([.facts(facts)])
            merged[facts.id, default: facts].merge(facts)
        }
        for (id, facts) in merged {
            let found = try await store.loadFacts(Article.self, id)
            #expect(found == facts)
        }
        let listed = merged.values.filter { facts in
            facts.model() != nil && facts.attributes.contains("publishedAt")
        }
        #expect(try await Set(store.loadArticles().map(\.id)) == Set(listed.map(\.id)))
    }
}
