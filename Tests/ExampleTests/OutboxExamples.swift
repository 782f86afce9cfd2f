import ArticleAPI
import ArticleClient
import ArticleOffline
import Testing

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
        let unsent = await outbox.state.entries.count
        #expect(unsent == 1)
        sending.cancel()
        await sending.value
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
