import ArticleAPI
import ArticleDatabase
import ArticleSearch
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleResources
@testable import ArticleServices

/// A store with articles, over which indexers come and go, with segments and steps so small that a
/// few articles need many of them.
struct IndexFixture: Sendable {
    static let limits = IndexLimits(
        tailDocuments: 3, pageChanges: 4, sliceBytes: 400, removedBlocks: 2, unstoredChanges: 6)
    private static let words = ["bread", "rye", "flour", "water", "salt", "oven", "crust"]
    private static let authors = (0..<2).map { _ in Author.ID(at: TestBackend.opening) }

    let folder: TemporaryFolder
    let path: String
    let store: SQLiteStore
    let faulty: FaultyIndexStore
    /// The notices of indexers to the operator: that an index is built again, or cannot be written.
    let notices = Notices()

    /// - Parameter base: a closed database that is copied.
    init(copying base: IndexFixture? = nil) async throws {
        folder = try TemporaryFolder()
        path = folder.file("store.db")
        if let base { try Self.copy(base.path, to: path) }
        store = try await SQLiteStore.openNew(path)
        faulty = FaultyIndexStore(store)
    }

    private static func copy(_ path: String, to other: String) throws {
        let (source, target) = (open(path, O_RDONLY), open(other, O_CREAT | O_WRONLY, 0o600))
        defer {
            Glibc.close(source)
            Glibc.close(target)
        }
        while true {
            let count = sendfile(target, source, nil, 1 << 20)
            guard count >= 0 else { throw TestFailure("the file cannot be copied") }
            if count == 0 { return }
        }
    }

    /// Closes the store and proves that its index equals its articles.
    func close() async throws {
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    final class Notices: Sendable {
        private let lines = Lock<[String]>([])

        var values: [String] { lines.withLock { $0 } }

        @Sendable func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    // MARK: Articles

    /// Writes that make articles appear, change and disappear, the same for each seed.
    func write(_ count: Int, seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let first = Edit(at: TestBackend.opening, by: .operator)
        for id in Self.authors {
            guard (try? await store.author(id, visibleTo: .editors)) == nil else { continue }
            _ = try await store.putAuthor(
                id, Author.Replacement(name: "Nobody"), expecting: .nothing, by: first)
        }
        for number in 0..<count {
            let time = TestBackend.opening.advanced(
                byMilliseconds: Int64(seed) * 1_000_000 + Int64(number))
            let edit = Edit(at: time, by: .operator)
            let kind = random.next() % 10
            let old = try await store.articles(ArticleQuery(audience: .editors)).items
            let ids = old.map(\.id)
            if kind < 5 || ids.isEmpty {
                _ = try await store.createArticle(
                    Article.ID(at: time), content(&random, at: time), by: edit)
            } else if kind == 9 {
                let author = Self.authors[Int(random.next() % 2)]
                let name = "Name \(random.next() % 100)"
                _ = try await store.putAuthor(
                    author, Author.Replacement(name: name), expecting: .anything, by: edit)
            } else {
                let id = ids[Int(random.next() % UInt64(ids.count))]
                if kind == 8 {
                    try await store.deleteArticle(id, expecting: .anything, by: edit)
                } else {
                    let article = try await store.article(.id(id), visibleTo: .editors)
                    let changes = Article.Changes(
                        from: article.draft, to: content(&random, at: time).draft)
                    _ = try await store.updateArticle(
                        id, ArticleUpdate(.changes(changes)), expecting: .anything, by: edit)
                }
            }
        }
    }

    private func content(_ random: inout SplitMix64, at time: Timestamp) -> ArticleContent {
        func words(_ count: UInt64) -> String {
            (0..<1 + random.next() % count).map { _ in
                Self.words[Int(random.next() % UInt64(Self.words.count))]
            }.joined(separator: " ")
        }
        var draft = Article.Draft(
            title: words(3), body: words(40), language: "en", tags: [words(1)])
        if random.next() % 3 == 0 {
            draft.authors = [.id(Self.authors[Int(random.next() % 2)], name: nil)]
        }
        draft.status = random.next() % 4 == 0 ? .draft : .published
        draft.publishedAt = draft.status == .published ? time : nil
        return ArticleContent(
            draft, slug: .like("article"), measure: TextMeasure(words: 1, readingMinutes: 1))
    }

    // MARK: Indexers

    func indexer(
        version: Int = SearchTokenizer.version, limits: IndexLimits = limits,
        system: SystemEnvironment = .real,
        published: @escaping @Sendable () -> Void = {}
    ) -> SearchIndexer {
        SearchIndexer(
            store: faulty, version: version, limits: limits, system: system,
            notices: SearchIndexer.Notices(progress: notices.append, failure: notices.append),
            published: published)
    }

    /// Lets an indexer run until the condition holds.
    func run(_ indexer: SearchIndexer, until condition: () -> Bool) async throws {
        let task = Task { await indexer.run() }
        let isMet = await eventually(condition)
        task.cancel()
        await task.value
        guard isMet else { throw TestFailure("the indexer does not go on") }
    }

    /// An indexer that has caught up, and stopped.
    @discardableResult
    func indexed(version: Int = SearchTokenizer.version) async throws -> SearchIndexer {
        let indexer = indexer(version: version)
        try await run(indexer) { indexer.isCurrent }
        return indexer
    }

    // MARK: The model

    private static let queries =
        words + [
            "bread rye", "flour -salt", "fl", "water oven", "name", "nothing", "\"rye bread\"",
        ]

    /// Expects that searches find what a new view of all public articles finds.
    func expectExactness(_ indexer: SearchIndexer, _ comment: String) async throws {
        var model = SearchView()
        var query = ArticleQuery(audience: .everyone)
        query.withBodies = true
        repeat {
            let slice = try await store.articles(query)
            for article in slice.items {
                let document = try #require(SearchDocument(article))
                model.insert(AnalyzedDocument(SearchText(document)))
            }
            query.after = slice.next
        } while query.after != nil
        #expect(try indexer.view().liveCount == model.liveCount, "\(comment)")
        for text in Self.queries {
            let plan = SearchPlan(SearchQuery(text))
            let expected = try model.hits(plan, [], after: nil, limit: 1_000)
            let found = try await indexer.reading(plan.ranges) {
                (view, blocks) throws(SearchIndexError) in
                try view.hits(plan, blocks, after: nil, limit: 1_000)
            }
            #expect(found == expected, "\(comment): \(text)")
        }
    }
}
