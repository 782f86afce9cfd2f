import ArticleAPI
import ArticleModels
import Testing

/// The examples of writes that wait to be sent.
@Suite struct OutboxExamples {
    private let article = ExampleNewsroom.article
    private let now = ExampleNewsroom.time
    private let changes = Article.Changes(title: .set("Rye bread"))

    @Test func `a queue of writes`() {
        let storedEntries: [OutboxEntry] = []
        let answer = article.applying(changes)
        var queue = OutboxQueue(storedEntries)
        let added = queue.add(
            .update(changes), to: article.id, base: article, account: "ada", key: "key-1", at: now)
        let began = queue.begin(added.stored[0].number, at: now)
        let finished = queue.finish(1, .applied(answer), newKey: "key-2", retryAt: nil)
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

    @Test func `merging two edits`() {
        let seen = article
        var current = article
        current.summary = "With rye."
        var request: UpdateArticleRequest?
        let merge = ThreeWayMerge(base: seen, mine: changes, theirs: current)
        if merge.conflicts.isEmpty {
            request = UpdateArticleRequest(current, changes: merge.changes)
        }
        #expect(request?.changes == changes)
    }
}
