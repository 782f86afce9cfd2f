import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// A user who writes into an outbox of the SDK, and whose mirror has everything that editors see.
/// Each run is a new launch of the app.
final class OutboxFollower: Follower {
    private static let account = "ada"
    private let folder: TemporaryFolder
    private let random: Lock<SplitMix64>

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        random = Lock(SplitMix64(seed: seed))
    }

    private func number(below limit: Int) -> Int {
        random.withLock { Int.random(in: 0..<limit, using: &$0) }
    }

    private func store(_ server: CutServer) throws -> ModelStore {
        try ModelStore(
            .file(folder.file("models"), of: Self.account), environment: server.clock.environment)
    }

    func follow(_ server: CutServer) async throws {
        let store = try store(server)
        let backend = try server.service(as: Self.account)
        let mirror = ArticleMirror(
            store: store, backend: backend, name: "all", filter: FetchChangesRequest(limit: 3))
        let outbox = Outbox(
            store: store, backend: backend, environment: server.clock.environment, width: 1)
        for _ in 0..<number(below: 3) { try await write(to: outbox, seeing: store) }
        let isOnline = number(below: 3) > 0
        if isOnline { await send(outbox, server) }
        guard !isOnline || number(below: 3) > 0 else { return }
        try await catchUp(mirror, server)
    }

    /// Sends everything, takes what the server has where both differ, and follows.
    func finish(_ server: CutServer) async throws {
        let store = try store(server)
        let backend = try server.service(as: Self.account)
        let outbox = Outbox(
            store: store, backend: backend, environment: server.clock.environment, width: 1)
        // Terminates because each round ends at least one write.
        while await !outbox.state.entries.isEmpty {
            await send(outbox, server)
            guard let entry = await outbox.state.entries.first else { break }
            try await outbox.discard(entry.number)
        }
        // Stored responses have the version of their time; a page that is requested later decides.
        server.clock.pass(seconds: 2)
        let mirror = ArticleMirror(
            store: store, backend: backend, name: "all", filter: FetchChangesRequest(limit: 3))
        try await catchUp(mirror, server)
    }

    private func catchUp(_ mirror: ArticleMirror, _ server: CutServer) async throws {
        do { try await mirror.catchUp() } catch { guard server.isOffline else { throw error } }
    }

    private func write(to outbox: Outbox, seeing store: ModelStore) async throws {
        let title = "Mine \(random.withLock { $0.next() })"
        let shown = try await store.loadArticles()
        let seen = shown.isEmpty ? nil : shown[number(below: shown.count)].article
        switch (number(below: 6), seen) {
        case (0, _) where shown.count < 8, (_, nil):
            var draft = Article.Draft(title: title)
            draft.status = .published
            try await outbox.create(draft)
        case (1, let seen?): try await outbox.delete(seen)
        case (_, let seen?):
            try await outbox.update(seen, Article.Changes(title: .set(title)))
        }
    }

    /// Sends until nothing waits to be sent, or the network has failed.
    private func send(_ outbox: Outbox, _ server: CutServer) async {
        let sending = UnstructuredTask.start { await outbox.run() }
        for await state in outbox.states where state.sending.isEmpty {
            if server.isOffline || !Self.canSend(state) { break }
        }
        sending.cancel()
        await sending.value
    }

    /// Returns true if a write does not wait for a decision about an earlier one.
    private static func canSend(_ state: OutboxState) -> Bool {
        let blocked = Set((state.conflicts + state.confirmations).map(\.article))
        return state.waiting.contains { !blocked.contains($0.article) }
    }

    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws {
        let shown = try await store(server).loadArticles(limit: 1_000)
        let listed = try await server.articles(isAnonymous: false)
        // Some have come with their bodies.
        let outlines = shown.map { shown in
            var article = shown.article
            (article.body, article.bodyHTML, article.commentCount) = (nil, nil, nil)
            return article
        }
        #expect(outlines == listed, comment)
        for (write, count) in server.executed { #expect(count == 1, "\(write): \(comment)") }
    }
}
