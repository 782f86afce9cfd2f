import ArticleAPI
import ArticleClient
import ArticleOffline

/// The time that a mirror of all articles takes, compared to fetching and decoding the same pages.
struct Mirroring {
    private let backend: BackendService
    private let folder: String

    init(_ base: BaseURL, in folder: String) {
        backend = BackendService(
            configuration: BackendConfiguration(baseURL: base), cache: nil)
        self.folder = folder
    }

    func json(_ pairs: Int) async throws -> String {
        var (fetching, mirroring): ([Double], [Double]) = ([], [])
        var count = 0
        for pair in 0..<pairs {
            let clock = ContinuousClock()
            let start = clock.now
            count = try await fetchAll().count
            let fetched = clock.now
            let store = try ModelStore(
                .file("\(folder)/mirror-\(pair).store"), limits: .init(bytes: 1 << 40))
            try await ArticleMirror(store: store, backend: backend, name: "all").catchUp()
            fetching.append(start.milliseconds(to: fetched))
            mirroring.append(fetched.milliseconds(to: clock.now))
        }
        let ratio = zip(mirroring, fetching).map(/).median
        return """
            {"articles":\(count),"fetching":\(fetching.median),"mirroring":\(mirroring.median),\
            "ratio":\(ratio)}
            """
    }

    /// All articles, by the same requests as the mirror's.
    func fetchAll() async throws -> [Article] {
        var articles: [Article] = []
        for try await case .page(let page) in backend.changes(since: nil) {
            for case .putArticle(let article, _) in page.changes { articles.append(article) }
        }
        return articles
    }
}
