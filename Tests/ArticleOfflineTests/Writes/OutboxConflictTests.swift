import ArticleAPI
import ArticleOffline
import BroadsheetTestSupport
import Testing

/// Writes that the backend does not accept as they are.
@Suite struct OutboxConflictTests {
    private let bread: Article = {
        var bread = article(1, title: "Bread", summary: "Flour", body: "Knead.")
        bread.version = "1-abcdef"
        return bread
    }()
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let problem = Problem(.invalidValues, detail: "No.")

    /// A queue whose first write is being sent.
    private func sending(_ write: PendingWrite, then next: PendingWrite? = nil) -> OutboxQueue {
        var queue = OutboxQueue()
        var base: Article? = bread
        if case .create = write { base = nil }
        _ = queue.add(write, to: bread.id, base: base, account: "ada", key: "1", at: start)
        _ = queue.begin(1, at: start)
        if let next {
            let shown = queue.entries.overlay(on: base)
            _ = queue.add(next, to: bread.id, base: shown, account: "ada", key: "2", at: start)
        }
        return queue
    }

    private func theirs(_ edit: (inout Article) -> Void) -> Article {
        var theirs = bread
        edit(&theirs)
        theirs.version = "2-abcdef"
        return theirs
    }

    private func title(_ text: String) -> PendingWrite { .update(.init(title: .set(text))) }

    private func newID() -> Article.ID { article(99).id }

    private func isInConflict(_ queue: OutboxQueue) -> Bool {
        if case .conflict = queue.entries.first?.status { true } else { false }
    }

    // MARK: Another version

    @Test func `other attributes are merged, and the new request has a new key`() {
        var queue = sending(title("Loaf"))
        let other = theirs { $0.summary = "Rye" }
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        #expect(queue.sendable(at: start).map(\.key) == ["new"])
        #expect(queue[1]?.base == other && queue[1]?.write == title("Loaf"))
        #expect(queue[1]?.firstSentAt == nil)
    }

    @Test func `edits of different paragraphs are merged, and of one paragraph wait for the user`()
    {
        let seen = article(1, title: "Bread", body: "Knead.\n\nRest.\n\nBake.")
        func body(_ text: String) -> PendingWrite { .update(.init(body: .set(text))) }
        var queue = OutboxQueue()
        _ = queue.add(
            body("Knead.\n\nRest.\n\nBake hot."), to: seen.id, base: seen, account: "ada", key: "1",
            at: start)
        _ = queue.begin(1, at: start)
        var other = seen
        (other.body, other.version) = ("Fold.\n\nRest.\n\nBake.", "2-abcdef")
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        #expect(queue.sendable(at: start).map(\.write) == [body("Fold.\n\nRest.\n\nBake hot.")])
        // The user has not seen theirs, and goes on with what is shown.
        _ = queue.add(
            body("Knead.\n\nRest long.\n\nBake hot."), to: seen.id,
            base: seen.applying(.init(body: .set("Knead.\n\nRest.\n\nBake hot."))), account: "ada",
            key: "2", at: start)
        #expect(queue.entries.map(\.write) == [body("Fold.\n\nRest long.\n\nBake hot.")])
        _ = queue.begin(1, at: start)
        var third = other
        (third.body, third.version) = ("Fold.\n\nNo rest.\n\nBake.", "3-abcdef")
        _ = queue.finish(1, .changed(theirs: third), newKey: "3", retryAt: nil)
        #expect(isInConflict(queue))
        _ = queue.resolve(1, .keepMine, newKey: "4", newID: newID(), at: start)
        #expect(queue.entries.map(\.write) == [body("Fold.\n\nRest long.\n\nBake hot.")])
    }

    @Test func `a write that is already done is not sent again`() {
        var queue = sending(title("Loaf"), then: .update(.init(summary: .set("Rye"))))
        let other = theirs { $0.title = "Loaf" }
        let edit = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        #expect(edit?.removed.map(\.number) == [1])
        #expect(queue[2]?.base == other)
    }

    @Test func `what both sides changed waits for the user`() {
        var queue = sending(title("Loaf"), then: title("My loaf"))
        let other = theirs { $0.title = "Their loaf" }
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        #expect(queue[1]?.status == .conflict(theirs: other) && queue[1]?.base == bread)
        #expect(queue.sendable(at: start).isEmpty)
        #expect(queue.entries.pending == .conflict(theirs: other))
        #expect(queue.entries.overlay(on: other)?.title == "My loaf")
    }

    @Test func `a backend that contradicts itself is asked later`() {
        var queue = sending(title("Loaf"))
        let later = start.advanced(byMilliseconds: 5_000)
        _ = queue.finish(1, .changed(theirs: bread), newKey: "new", retryAt: later)
        #expect(queue[1]?.status == .waiting(until: later) && queue[1]?.key == "1")
    }

    @Test func `a deletion does not remove an edit that its user has not seen`() {
        var queue = sending(.delete)
        let other = theirs { $0.title = "Loaf" }
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        #expect(isInConflict(queue))
        _ = queue.resolve(1, .keepMine, newKey: "2", newID: newID(), at: start)
        #expect(queue.sendable(at: start).map(\.base) == [other])
        #expect(queue[1]?.write == .delete && queue[1]?.key == "2")
    }

    @Test func `a deletion of what is gone is done`() {
        var queue = sending(.delete)
        _ = queue.finish(1, .changed(theirs: nil), newKey: "new", retryAt: nil)
        #expect(queue.entries.isEmpty)
    }

    @Test func `a creation whose id is taken by itself is done`() {
        let draft = Article.Draft(id: bread.id, title: "Bread", summary: "Flour", body: "Knead.")
        var queue = sending(.create(draft))
        _ = queue.finish(1, .changed(theirs: bread), newKey: "new", retryAt: nil)
        #expect(isInConflict(queue) == (bread.publishedAt != nil))
        var other = sending(.create(draft))
        let edited = theirs { $0.title = "Loaf" }
        _ = other.finish(1, .changed(theirs: edited), newKey: "new", retryAt: nil)
        #expect(other[1]?.status == .conflict(theirs: edited))
    }

    // MARK: Decisions

    @Test func `mine replaces theirs, theirs drops mine, and a third value replaces both`() {
        let other = theirs {
            $0.title = "Their loaf"
            $0.summary = "Rye"
        }
        var queue = sending(title("My loaf"))
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        var mine = queue
        _ = mine.resolve(1, .keepMine, newKey: "2", newID: newID(), at: start)
        #expect(mine[1]?.write == title("My loaf") && mine[1]?.base == other)
        var dropped = queue
        let edit = dropped.resolve(1, .keepTheirs, newKey: "2", newID: newID(), at: start)
        #expect(dropped.entries.isEmpty && edit?.removed.count == 1)
        var merged = queue
        var third = other
        third.title = "Our loaf"
        _ = merged.resolve(1, .merged(third), newKey: "2", newID: newID(), at: start)
        #expect(merged[1]?.write == title("Our loaf") && merged[1]?.key == "2")
        #expect(merged.resolve(1, .keepMine, newKey: "3", newID: newID(), at: start) == nil)
    }

    @Test func `an edit of an article that is gone can create it again with another id`() {
        var queue = sending(title("Loaf"), then: .update(.init(summary: .set("Rye"))))
        _ = queue.finish(1, .changed(theirs: nil), newKey: "new", retryAt: nil)
        #expect(queue[1]?.status == .conflict(theirs: nil))
        #expect(queue.entries.overlay(on: nil)?.title == "Loaf")
        _ = queue.resolve(1, .keepMine, newKey: "3", newID: newID(), at: start)
        #expect(queue.entries.map(\.article) == [newID()])
        guard case .create(let draft)? = queue[3]?.write else {
            Issue.record("it is not created")
            return
        }
        #expect(draft.id == newID() && draft.title == "Loaf" && draft.summary == "Rye")
        #expect(draft.body == "Knead." && draft.slug == nil)
    }

    @Test func `the next write is merged with theirs if they are kept`() {
        var queue = sending(title("Loaf"), then: .update(.init(summary: .set("Rye"))))
        let other = theirs { $0.title = "Their loaf" }
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        _ = queue.resolve(1, .keepTheirs, newKey: "3", newID: newID(), at: start)
        #expect(queue.sendable(at: start).map(\.number) == [2])
        #expect(queue[2]?.base == other && queue[2]?.write == .update(.init(summary: .set("Rye"))))
    }

    @Test func `a value that was merged does not hide theirs from the next write`() {
        var queue = sending(title("Loaf"), then: .update(.init(summary: .set("Rye"))))
        let other = theirs { $0.summary = "Their flour" }
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        _ = queue.begin(1, at: start)
        var response = other.applying(.init(title: .set("Loaf")))
        response.version = "3-abcdef"
        _ = queue.finish(1, .applied(response), newKey: "x", retryAt: nil)
        #expect(queue[2]?.status == .conflict(theirs: response))
    }

    @Test func `an edit of what its user has not seen does not become part of a merged one`() {
        var queue = sending(title("Loaf"))
        let other = theirs { $0.summary = "Their flour" }
        _ = queue.finish(1, .changed(theirs: other), newKey: "new", retryAt: nil)
        let shown = bread.applying(.init(title: .set("Loaf")))
        let edit = PendingWrite.update(.init(summary: .set("Rye")))
        var rejected = queue
        _ = queue.add(edit, to: bread.id, base: shown, account: "ada", key: "2", at: start)
        #expect(queue.entries.map(\.number) == [1, 2])
        _ = queue.discard(1)
        #expect(queue[2]?.status == .conflict(theirs: other))
        // The same while the merged one is being sent, and then rejected.
        _ = rejected.begin(1, at: start)
        _ = rejected.add(edit, to: bread.id, base: shown, account: "ada", key: "2", at: start)
        _ = rejected.finish(1, .rejected(problem), newKey: "x", retryAt: nil)
        #expect(rejected[1]?.status == .rejected(problem))
        #expect(rejected[2]?.status == .conflict(theirs: other))
    }

    @Test func `a write behind one that was dropped does not expect a later version`() {
        var queue = sending(title("Loaf"))
        _ = queue.finish(1, .noResponse, newKey: "x", retryAt: nil)
        let shown = theirs { $0.title = "Loaf" }
        _ = queue.add(title("Rye"), to: bread.id, base: shown, account: "ada", key: "2", at: start)
        _ = queue.discard(1)
        #expect(queue[2]?.base?.version == bread.version)
    }

    // MARK: Rejections

    @Test func `what is rejected is taken back and does not hold up later edits`() {
        var queue = sending(title("Loaf"))
        _ = queue.finish(1, .rejected(problem), newKey: "new", retryAt: nil)
        #expect(queue[1]?.status == .rejected(problem))
        #expect(queue.entries.overlay(on: bread) == bread)
        #expect(queue.entries.pending == .rejected(problem))
        _ = queue.add(
            .update(.init(summary: .set("Rye"))), to: bread.id, base: bread, account: "ada",
            key: "2", at: start)
        #expect(queue.sendable(at: start).map(\.number) == [2])
        // Two writes of one article are never on their way together.
        _ = queue.begin(2, at: start)
        _ = queue.sendAgain(1, newKey: "3")
        #expect(queue.sendable(at: start).isEmpty)
    }

    @Test func `a later edit may correct what was rejected`() {
        var queue = sending(title("bad"), then: title("good"))
        let edit = queue.finish(1, .rejected(problem), newKey: "new", retryAt: nil)
        #expect(edit?.removed.map(\.number) == [2])
        #expect(queue.sendable(at: start).map(\.write) == [title("good")])
        #expect(queue[1]?.key == "2")
    }

    @Test func `a correction of an article that was not created creates it`() {
        var queue = sending(.create(Article.Draft(id: bread.id, title: "bad")))
        _ = queue.finish(1, .rejected(problem), newKey: "new", retryAt: nil)
        #expect(queue.entries.overlay(on: nil) == nil)
        _ = queue.add(
            title("good"), to: bread.id, base: bread, account: "ada", key: "2", at: start)
        #expect(
            queue.sendable(at: start).map(\.write)
                == [.create(Article.Draft(id: bread.id, title: "good"))])
    }

    @Test func `discarding takes back a write, and with a creation all that depends on it`() {
        var queue = sending(title("Loaf"), then: .update(.init(summary: .set("Rye"))))
        #expect(queue.discard(1) == nil)
        _ = queue.finish(1, .notSent, newKey: "x", retryAt: nil)
        _ = queue.discard(1)
        #expect(queue.entries.map(\.number) == [2] && queue[2]?.base == bread)
        var created = sending(
            .create(Article.Draft(id: bread.id, title: "Loaf")), then: title("Rye"))
        _ = created.finish(1, .noResponse, newKey: "x", retryAt: nil)
        #expect(created.discard(1)?.removed.count == 2)
        #expect(created.discard(7) == nil)
    }
}
