import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import Testing

/// The rating of an article, in an app's own backend.
struct Rating: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(stars:), .required("stars", \.stars, .integer(1...5)))
    var stars: Int
}

struct RateArticleRequest: RepeatableRequest {
    static let endpoint = Endpoint(
        .put, "/v1/ratings/{articleID}", name: "rateArticle", access: .useAccount)
    typealias Item = NoContent
    static let parameters = Parameters(
        Self.init(articleID:rating:), .path("articleID", \.articleID, .identifier()),
        .body(\.rating))
    var articleID: Article.ID
    var rating: Rating
    var replaces: String? { "rating/\(articleID)" }
}

/// The examples of writes that wait to be sent.
@Suite struct OutboxExamples {
    private let article = ServedExampleBackend.article
    private let now = ServedExampleBackend.time
    private let changes = Article.Changes(title: .set("Rye bread"))

    @Test func `a queue of writes`() {
        let storedEntries: [OutboxEntry] = []
        let response = article.applying(changes)
        var queue = OutboxQueue(storedEntries)
        let added = queue.add(
            .update(changes), to: article.id, base: article, account: "ada", key: "key-1", at: now)
        let began = queue.begin(added.stored[0].number, at: now)
        let finished = queue.finish(1, .applied(response), newKey: "key-2", retryAt: nil)
        #expect(began?.stored.map(\.status) == [.sending])
        #expect(finished?.removed.count == 1 && queue.entries.isEmpty)
    }

    @Test func `writes in conflict`() {
        var queue = OutboxQueue()
        _ = queue.add(
            .update(changes), to: article.id, base: article, account: "ada", key: "key-1", at: now)
        _ = queue.begin(1, at: now)
        _ = queue.finish(1, .changed(theirs: nil), newKey: "key-2", retryAt: nil)
        let conflicts = queue.entries.filter { entry in
            if case .conflict = entry.status { true } else { false }
        }
        #expect(conflicts.map(\.number) == [1])
    }
}

/// The examples of an outbox that sends.
@Suite struct OutboxSendingExamples {
    private let article = ServedExampleBackend.article

    private func makeStore() throws -> ModelStore { try ModelStore(.memory(of: "ada")) }

    @Test func `an outbox`() async throws {
        let (store, backend) = (try makeStore(), ServedExampleBackend.backend())
        let outbox = Outbox(store: store, backend: backend)
        let sending = Task { await outbox.run() }
        try await outbox.update(article, .init(title: .set("Rye bread")))
        try await outbox.send(
            PutBookmarkRequest(articleID: article.id, place: .init(position: 0.4)))
        let unsent = await outbox.state.entries.count
        #expect(unsent == 2)
        sending.cancel()
        await sending.value
    }

    @Test func `a request of an app's own`() async throws {
        let store = try makeStore()
        let outbox = Outbox(
            store: store, backend: ServedExampleBackend.backend(),
            sending: [RateArticleRequest.self])
        for stars in [4, 5] {
            try await outbox.send(
                RateArticleRequest(articleID: article.id, rating: Rating(stars: stars)))
        }
        let entries = await outbox.state.entries
        #expect(entries.map { $0.request(as: RateArticleRequest.self)?.rating.stars } == [5])
    }

    @Test func `unsent comments are shown`() async throws {
        let (store, id) = (try makeStore(), article.id)
        let outbox = Outbox(store: store, backend: ServedExampleBackend.backend())
        try await outbox.send(
            CreateCommentRequest(articleID: id, comment: ArticleComment.Draft(body: "Rye?")))
        var shown: [String: Bool] = [:]
        func show(_ comment: ArticleComment, isSent: Bool) { shown[comment.body] = isSent }
        for cached in try await store.loadComments(on: id) {
            show(cached.comment, isSent: cached.pending == nil)
        }
        #expect(shown == ["Rye?": false])
    }

    @Test func `what is to be sent`() async throws {
        let outbox = Outbox(store: try makeStore(), backend: ServedExampleBackend.backend())
        var unsent = 1
        var needsDecision = true
        for await state in outbox.states {
            unsent = state.entries.count
            needsDecision = !state.conflicts.isEmpty || !state.confirmations.isEmpty
            if unsent == 0 { break }
        }
        #expect(unsent == 0 && !needsDecision)
    }
}
