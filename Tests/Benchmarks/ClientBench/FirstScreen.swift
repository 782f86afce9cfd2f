import ArticleAPI
import ArticleClient
import ArticleOffline

/// The time from opening a file to the first twenty articles, compared to decoding all articles
/// from JSON.
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
        for pair in 0...pairs {
            let clock = ContinuousClock()
            let start = clock.now
            let store = try ModelStore(.file(path))
            let opened = clock.now
            let screen = try await store.loadArticles(limit: 20)
            let shown = clock.now
            for text in texts { _ = try Article(mapping: text) }
            let decoded = clock.now
            guard screen.count == min(20, articles.count) else { throw MissingArticles() }
            guard pair > 0 else { continue }
            opening.append(start.milliseconds(to: opened))
            first.append(start.milliseconds(to: shown))
            decoding.append(shown.milliseconds(to: decoded))
        }
        return """
            {"articles":\(articles.count),"opening":\(opening.median),"first":\(first.median),\
            "decoding":\(decoding.median)}
            """
    }
}

struct MissingArticles: Error {}

extension ContinuousClock.Instant {
    func milliseconds(to end: Self) -> Double { (end - self) / .milliseconds(1) }
}
