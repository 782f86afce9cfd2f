import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Requests in the queue: what replaces what, what waits for what, and what may be repeated.
@Suite struct OutboxRequestQueueTests {
    private let bread: Article = {
        var bread = article(1, title: "Bread")
        bread.version = "1-abcdef"
        return bread
    }()
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let problem = Problem(.notFound, detail: "No.")

    @discardableResult
    private func add(
        _ request: some RepeatableRequest, to queue: inout OutboxQueue, of account: String = "ada"
    ) -> OutboxEntry? {
        let key = "key-\(queue.entries.count)"
        let edit = queue.add(PendingRequest(request), account: account, key: key, at: start)
        return edit.stored.last
    }

    private func comment(_ number: Int, on id: Article.ID? = nil) -> CreateCommentRequest {
        var request = CreateCommentRequest("Comment \(number)", on: id ?? bread.id)
        request.comment.id = Samples.id(number)
        return request
    }

    private func positions(_ queue: OutboxQueue) -> [Double?] {
        queue.entries.map { $0.request(as: PutBookmarkRequest.self)?.place?.position }
    }

    // MARK: What is stored

    @Test func `a stored request is the same bytes as before, and has its entry's key`() throws {
        var queue = OutboxQueue()
        // The first letter is decomposed: a text that was stored as such would be changed.
        var request = comment(1)
        request.comment.body = "E\u{301}clair\n빵"
        let entry = try #require(add(request, to: &queue))
        let read = try OutboxEntry(mapping: entry.json())
        #expect(read == entry)
        let printed = try #require(read.write.request?.printed(key: read.key))
        request.idempotencyKey = entry.key
        let expected = RequestPrinter.print(request)
        #expect(printed.body == expected.body && "\(printed.target)" == "\(expected.target)")
        #expect(printed.method == .post)
        let lines = [printed, expected].map { request in
            Set(request.fields.all.map { "\($0.name): \($0.value)" })
        }
        #expect(lines[0] == lines[1] && lines[0].count == expected.fields.count)
        #expect(entry.request(as: PutBookmarkRequest.self) == nil)
        #expect(entry.request(as: CreateCommentRequest.self)?.comment.id == request.comment.id)
        var bookmarks = OutboxQueue()
        let put = try #require(add(PutBookmarkRequest(bread.id, 0.5), to: &bookmarks))
        #expect(put.write.request?.printed(key: "a")?.fields.contains(.idempotencyKey) == false)
    }

    // MARK: Replacing

    @Test func `of a bookmark only the last write remains, unless one is being sent`() {
        var queue = OutboxQueue()
        add(PutBookmarkRequest(bread.id, 0.1), to: &queue)
        add(PutBookmarkRequest(bread.id, 0.2), to: &queue, of: "ben")
        add(PutBookmarkRequest(Samples.id(2), 0.3), to: &queue)
        add(DeleteBookmarkRequest(articleID: bread.id), to: &queue)
        #expect(positions(queue) == [0.2, 0.3, nil])
        add(PutBookmarkRequest(bread.id, 0.4), to: &queue)
        #expect(positions(queue) == [0.2, 0.3, 0.4])
        _ = queue.discard(queue.entries[0].number)
        let sent = queue.entries[1].number
        _ = queue.begin(sent, at: start)
        add(PutBookmarkRequest(bread.id, 0.5), to: &queue)
        #expect(positions(queue) == [0.3, 0.4, 0.5])
        #expect(queue.sendable(at: start).map(\.number) == [queue.entries[0].number])
        // Whatever has become of the first one, it is not sent again behind the second one.
        for outcome in [OutboxQueue.Outcome.noResponse, .notSent, .rejected(problem)] {
            var other = queue
            let edit = other.finish(sent, outcome, newKey: "new", retryAt: nil)
            #expect(edit?.removed.map(\.number) == [sent])
            #expect(positions(other) == [0.3, 0.5])
        }
    }

    @Test func `a rejected position is replaced by the next one`() {
        var queue = OutboxQueue()
        add(PutBookmarkRequest(bread.id, 0.1), to: &queue)
        _ = queue.begin(1, at: start)
        _ = queue.finish(1, .rejected(problem), newKey: "new", retryAt: nil)
        #expect(queue.entries.first?.status == .rejected(problem))
        add(PutBookmarkRequest(bread.id, 0.2), to: &queue)
        #expect(positions(queue) == [0.2])
    }

    // MARK: Order

    @Test func `comments on an article are sent in order, beside everything else`() {
        var queue = OutboxQueue()
        add(comment(1), to: &queue)
        add(comment(2), to: &queue)
        add(comment(3, on: Samples.id(9)), to: &queue)
        add(PutBookmarkRequest(bread.id, 0.1), to: &queue)
        _ = queue.add(
            .update(.init(title: .set("Loaf"))), to: bread.id, base: bread, account: "ada",
            key: "edit", at: start)
        #expect(queue.sendable(at: start).map(\.number) == [1, 3, 4, 5])
        _ = queue.begin(1, at: start)
        _ = queue.finish(1, .rejected(problem), newKey: "new", retryAt: nil)
        #expect(queue.sendable(at: start).map(\.number) == [2, 3, 4, 5])
        // They have no effect on the article, its edits, and what becomes of these.
        #expect(queue.entries.overlay(on: bread)?.title == "Loaf")
        _ = queue.begin(5, at: start)
        _ = queue.finish(5, .changed(theirs: nil), newKey: "new", retryAt: nil)
        #expect(queue.discard(5)?.removed.map(\.number) == [5])
        #expect(queue.entries.map(\.number) == [1, 2, 3, 4])
        #expect(queue.discard(1)?.removed.map(\.number) == [1])
        #expect(queue.entries.map(\.number) == [2, 3, 4])
    }

    @Test func `what is about an article waits until that was created`() {
        var queue = OutboxQueue()
        let draft = Article.Draft(id: bread.id, title: "Bread")
        _ = queue.add(
            .create(draft), to: bread.id, base: nil, account: "ada", key: "1", at: start)
        add(comment(1), to: &queue)
        add(PutBookmarkRequest(bread.id, 0.1), to: &queue)
        #expect(queue.sendable(at: start).map(\.number) == [1])
        // A later edit still becomes part of the creation.
        _ = queue.add(
            .update(.init(title: .set("Loaf"))), to: bread.id, base: bread, account: "ada",
            key: "2", at: start)
        #expect(queue.entries.count == 3)
        _ = queue.begin(1, at: start)
        _ = queue.finish(1, .applied(bread), newKey: "new", retryAt: nil)
        #expect(queue.sendable(at: start).map(\.number) == [2, 3])
    }

    // MARK: Repeating

    @Test func `only a request that needs its key waits for the user once that is forgotten`() {
        var queue = OutboxQueue()
        add(comment(1), to: &queue)
        add(PutBookmarkRequest(bread.id, 0.1), to: &queue)
        add(
            WriteNoteRequest(
                articleID: bread.id, draft: ArticleComment.Draft(body: "Note"),
                idempotencyKey: nil),
            to: &queue)
        for number in 1...3 {
            _ = queue.begin(number, at: start)
            _ = queue.finish(number, .noResponse, newKey: "new", retryAt: nil)
        }
        let later = start.advanced(byMilliseconds: 24 * 3_600_000)
        _ = queue.expire(at: later)
        #expect(
            queue.entries.map(\.status) == [
                .waiting(until: nil), .waiting(until: nil), .needsConfirmation,
            ])
        #expect(queue.sendable(at: later).map(\.number) == [1, 2])
        _ = queue.sendAgain(3, newKey: "again")
        #expect(queue.sendable(at: later).map(\.number) == [1, 2, 3])
        #expect(queue[3]?.key == "again")
    }
}
