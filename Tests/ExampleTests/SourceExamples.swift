import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import ArticleStore
import Testing

/// The examples of sources: as admins see them, and in a store.
@Suite struct SourceExamples {
    private let time = Timestamp(milliseconds: 1_767_225_600_000)
    private let id = ContentSource.ID(at: Timestamp(milliseconds: 1_767_225_600_000))

    private var backend: BackendService {
        let shown = ContentSource(
            id: id, url: "https://example.org/feed.atom", createdAt: time, updatedAt: time)
        return .stub { routes in
            routes.on(FetchSourcesRequest.self) { _ in Page(items: [shown]) }
            routes.on(CreateSourceRequest.self) { request in
                var source = shown
                source.publishes = request.source.publishes
                return source
            }
            routes.on(FetchSourceRequest.self) { _ in shown }
            routes.on(UpdateSourceRequest.self) { request in
                var source = shown
                source.isPaused = request.changes.isPaused == .set(true)
                return source
            }
            routes.on(DeleteSourceRequest.self) { _ in NoContent() }
            routes.on(PollSourceRequest.self) { _ in shown }
        }
    }

    @Test func `a source`() async throws {
        let source = try await backend.send(
            CreateSourceRequest(ContentSource.Draft(url: "https://example.org/feed.atom")))
        let isWaiting = source.lastPolledAt == nil
        #expect(isWaiting && !source.publishes)
    }

    @Test func `requests`() async throws {
        let page = try await backend.send(FetchSourcesRequest(limit: 100))
        let failing = page.items.filter { $0.lastError != nil }
        #expect(page.items.map(\.id) == [id] && failing.isEmpty)
        #expect(try await created().publishes)
        #expect(try await !isPolled())
        #expect(try await paused().isPaused)
        try await backend.send(DeleteSourceRequest(id: id))
        #expect(try await polled().id == id)
    }

    private func created() async throws -> ContentSource {
        let draft = ContentSource.Draft(url: "https://example.org/feed.atom", publishes: true)
        let source = try await backend.send(CreateSourceRequest(draft))
        return source
    }

    private func isPolled() async throws -> Bool {
        let source = try await backend.send(FetchSourceRequest(id: id))
        let isPolled = source.lastPolledAt != nil
        return isPolled
    }

    private func paused() async throws -> ContentSource {
        let changes = ContentSource.Changes(isPaused: .set(true))
        let source = try await backend.send(UpdateSourceRequest(id: id, changes: changes))
        return source
    }

    private func polled() async throws -> ContentSource {
        let source = try await backend.send(PollSourceRequest(id: id))
        return source
    }

    @Test func `entries in a store`() async throws {
        let text = Article.Draft(title: "Bread", body: "Flour and water.")
        let content = ArticleContent(
            text, slug: .like("bread"), measure: TextMeasure(text.body))
        let (key, digest) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let draft = ContentSource(
            id: id, url: "https://example.org/feed.atom", createdAt: time, updatedAt: time)
        let (time, id) = (time, Article.ID(at: time))
        let edit = Edit(at: time, by: .operator)
        try await ExampleStore.run { store in
            let source = try await store.createSource(draft, by: edit)
            let item = SourceItem(
                key: key, digest: digest, change: .put(id, content, keepsSlug: true))
            let results = try await store.importItems(
                [item], from: source.id, at: source.revision, round: 0, time: time)
            #expect(try results.map { try $0.get() } == [.created])
        }
    }
}
