import ArticleAPI
import ArticleClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The examples of copies that follow a backend.
@Suite struct ArticleClientSyncExamples {
    let feed = ChangeFeed()

    private var backend: BackendService {
        .stub { [feed] routes in routes.on(FetchChangesRequest.self) { try feed.page($0) } }
    }

    @Test func `changes since a token`() async throws {
        let backend = backend
        var (changes, token): ([SyncChange<Article>], String?) = ([], nil)
        let id = feed.add("bread", tags: ["baking"])
        feed.add("news")
        for _ in 1...2 {
            let baking = FetchChangesRequest(tags: ["baking"])
            for try await step in backend.changes(since: token, matching: baking) {
                switch step {
                case .page(let page): (changes, token) = (changes + page.changes, page.next)
                case .restart: (changes, token) = ([], nil)
                }
            }
        }
        let ids = changes.map { (change) -> Article.ID? in
            if case .putArticle(let article, _) = change { article.id } else { nil }
        }
        #expect(ids == [id] && token == "1.2.baking")
        #expect(backend.received(FetchChangesRequest.self).map(\.since).last == "1.2.baking")
    }

    @Test func `changes as they happen`() async throws {
        let backend = ServedExampleBackend.backend()
        let shown = Lock<ChangePage<Article>?>(nil)
        let isShown = Signal()
        let show: @Sendable (ChangePage<Article>) -> Void = { page in
            shown.withLock { $0 = page }
            isShown.give()
        }
        let follower = Task {
            let token: String? = nil
            let live = backend.liveChanges(from: token)
            for try await step in live {
                if case .page(let page) = step, !page.more { show(page) }
            }
        }
        await isShown.wait()
        follower.cancel()
        await #expect(throws: BackendError.cancelled) { try await follower.value }
        #expect(shown.withLock { $0?.next } == "epoch.sealed-2")
    }

    @Test func `a page of changes`() async throws {
        let backend = backend
        for number in 1...4 { feed.add("bread-\(number)", tags: ["baking"]) }
        var token: String?
        let page = try await backend.send(FetchChangesRequest(since: token))
        token = page.next
        let isCurrent = !page.more
        #expect(!isCurrent && token == "1.3.")
        var copy: [Article.ID: Article] = [:]
        for change in page.changes {
            switch change {
            case .putArticle(let article, _): copy[article.id] = article
            case .deleteArticle(let id, _): copy[id] = nil
            default: break
            }
        }
        #expect(copy.values.map(\.slug).sorted() == ["bread-1", "bread-2", "bread-3"])
    }

    @Test func `changes with a tag`() async throws {
        let backend = backend
        let id = feed.add("bread", tags: ["baking"])
        let token = try await backend.send(FetchChangesRequest(tags: ["baking"])).next
        feed.delete(id)
        let page = try await backend.send(FetchChangesRequest(since: token, tags: ["baking"]))
        let deleted = page.changes.filter { if case .deleteArticle = $0 { true } else { false } }
        #expect(deleted.count == 1)
    }
}
