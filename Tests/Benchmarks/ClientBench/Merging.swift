import ArticleAPI
import ArticleClient
import ArticleOffline

/// The cost of merging articles into a store and notifying an observer, compared to decoding the
/// same articles.
struct Merging {
    private static let pageLimit = 100

    private let articles: [Article]
    private let texts: [[UInt8]]
    private let folder: String

    init(_ articles: [Article], in folder: String) {
        self.articles = articles
        self.folder = folder
        texts = articles.map { $0.json() }
    }

    /// Runs all in turn; the first round is a warm-up.
    func json(_ pairs: Int) async throws -> String {
        var (decoding, stored): ([Double], [Double]) = ([], [])
        var costs: [[Double]] = [[], [], []]
        for pair in 0...pairs {
            let decoded = try cost { for text in texts { _ = try Article(mapping: text) } }
            let merged = try await merged(into: .memory)
            let file = try await self.merged(into: .file("\(folder)/merging-\(pair).store"))
            guard pair > 0 else { continue }
            decoding.append(decoded)
            stored.append(file[0])
            for index in costs.indices { costs[index].append(merged[index]) }
        }
        let medians = costs.map(\.median)
        return """
            {"decoding":\(decoding.median),"new":\(medians[0]),"changed":\(medians[1]),\
            "known":\(medians[2]),"file":\(stored.median)}
            """
    }

    /// Microseconds for each article: new ones, ones whose title has changed, and known ones.
    private func merged(into place: ModelStore.Location) async throws -> [Double] {
        let limits = ModelStore.Limits(bytes: 1 << 30, memoryBytes: 1 << 30)
        let store = try ModelStore(place, limits: limits)
        let observer = Task { [updates = store.articles(limit: 20)] in
            var notices = 0
            for await _ in updates { notices += 1 }
            return notices
        }
        defer { observer.cancel() }
        var edited = articles
        for index in edited.indices {
            edited[index].title += "!"
            edited[index].revision += 1
        }
        // Each response is decoded by itself: texts that share their memory compare at once.
        let again = try edited.map { try Article(mapping: $0.json()) }
        var costs: [Double] = []
        for (time, versions) in [articles, edited, again].enumerated() {
            let start = processMicroseconds()
            for first in stride(from: 0, to: versions.count, by: Self.pageLimit) {
                let page = versions[first..<min(first + Self.pageLimit, versions.count)]
                let seenAt = Timestamp(milliseconds: Int64(time))
                try await store.merge(
                    page.map { .facts(ModelFacts($0, knowing: .inLists, seenAt: seenAt)) })
            }
            costs.append((processMicroseconds() - start) / Double(versions.count))
        }
        return costs
    }

    private func cost(_ work: () throws -> Void) rethrows -> Double {
        let start = processMicroseconds()
        try work()
        return (processMicroseconds() - start) / Double(articles.count)
    }
}
