import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The examples of mirrors, and of objects that views observe.
@Suite struct ArticleMirrorExamples {
    private let configuration = BackendConfiguration(baseURL: "http://localhost")

    private let store: ModelStore

    init() throws { store = try ModelStore(.memory) }

    /// A backend with one page of changes, whose streams are current and stay open.
    private var backend: BackendService {
        let transport = InProcessTransport { request, _ in
            guard request.target.path.elementsEqual("/v1/changes/stream".utf8) else {
                let page = ChangePage<Article>(
                    changes: [.putArticle(ServedExampleBackend.article, revision: 1)], next: "e.1",
                    more: false)
                return HTTPResponse(
                    .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
            }
            let (pieces, writer) = AsyncStream.makeStream(of: [UInt8].self)
            writer.yield(Array("event: ready\nid: e.1\ndata: {}\n\n".utf8))
            let body = HTTPBodyStream {
                defer { withExtendedLifetime(writer) {} }
                for await piece in pieces { return piece }
                return nil
            }
            return HTTPResponse(
                .ok, fields: [.contentType: "text/event-stream"], body: .stream(body))
        }
        return BackendService(configuration: configuration, transport: transport)
    }

    @Test func `a mirror`() async throws {
        let backend = backend
        let mirror = ArticleMirror(
            store: store, backend: backend, name: "baking",
            filter: FetchChangesRequest(tags: ["baking"]))
        let following = Task { try await mirror.run() }
        for await state in mirror.states where state == .live { break }
        following.cancel()
        await #expect(throws: OfflineError.backend(.cancelled)) { try await following.value }
        #expect(try await store.loadArticles().map(\.article.slug) == ["bread"])
    }

    @Test @MainActor func `observed objects`() async throws {
        let (store, id) = (store, ServedExampleBackend.article.id)
        let mirror = ArticleMirror(store: store, backend: backend, name: "all")
        try await mirror.catchUp()
        let article = articleTitle(id, store)
        let articles = articleTitles(store)
        let state = mirrorIsOld(mirror)
        while article() != "Bread" || articles() != ["Bread"] { await Task.yield() }
        #expect(state())
        let outbox = Outbox(store: try ModelStore(.memory(of: "ada")), backend: backend)
        _ = try await outbox.create(Article.Draft(title: "Rye"))
        let count = unsentWrites(outbox)
        while count() != 1 { await Task.yield() }
    }

    @MainActor private func articleTitle(_ id: Article.ID, _ store: ModelStore) -> () -> String {
        let shown = ObservedArticle(id, in: store)
        var title: String { shown.cached?.article.title ?? "" }
        return { title }
    }

    @MainActor private func articleTitles(_ store: ModelStore) -> () -> [String] {
        let list = ObservedArticles(in: store, matching: ArticleQuery(tags: ["baking"]))
        var titles: [String] { list.articles.map(\.article.title) }
        return { titles }
    }

    @MainActor private func mirrorIsOld(_ mirror: ArticleMirror) -> () -> Bool {
        let shown = ObservedMirror(mirror)
        var isOld: Bool { shown.state != .live }
        return { isOld }
    }

    @MainActor private func unsentWrites(_ outbox: Outbox) -> () -> Int {
        let shown = ObservedOutbox(outbox)
        var unsent: Int { shown.state?.entries.count ?? 0 }
        return { unsent }
    }
}
