import ArticleAPI
import ArticleClient
import ArticleOffline

/// The time from opening a file to the first twenty articles, and of the first search, compared to
/// decoding all articles from JSON.
struct FirstScreen {
    private let articles: [Article]
    private let path: String
    private let texts: [[UInt8]]

    init(_ articles: [Article], in folder: String) async throws {
        self.articles = articles
        path = "\(folder)/screen.store"
        let store = try ModelStore(.file(path), limits: .init(bytes: 1 << 30))
        try await store.merge(
            articles.map {
                .facts(ModelFacts($0, knowing: .inLists, seenAt: Timestamp(milliseconds: 0)))
            })
        texts = articles.map { $0.json() }
    }

    func json(_ pairs: Int) async throws -> String {
        var (opening, first, decoding): ([Double], [Double], [Double]) = ([], [], [])
        var (searching, indexing): ([Double], Double) = ([], 0)
        for pair in 0...pairs {
            let clock = ContinuousClock()
            let start = clock.now
            let store = try ModelStore(.file(path))
            let opened = clock.now
            let screen = try await store.loadArticles(limit: 20)
            let shown = clock.now
            let found = try await store.search(articles[0].title)
            let searched = clock.now
            for text in texts { _ = try Article(mapping: text) }
            let decoded = clock.now
            guard screen.count == min(20, articles.count), !found.items.isEmpty else {
                throw MissingArticles()
            }
            // The first one makes the index that the file keeps.
            guard pair > 0 else {
                indexing = shown.milliseconds(to: searched)
                continue
            }
            opening.append(start.milliseconds(to: opened))
            first.append(start.milliseconds(to: shown))
            searching.append(shown.milliseconds(to: searched))
            decoding.append(searched.milliseconds(to: decoded))
        }
        return """
            {"articles":\(articles.count),"opening":\(opening.median),"first":\(first.median),\
            "decoding":\(decoding.median),"searching":\(searching.median),"indexing":\(indexing)}
            """
    }
}

struct MissingArticles: Error {}

extension ContinuousClock.Instant {
    func milliseconds(to end: Self) -> Double { (end - self) / .milliseconds(1) }
}
