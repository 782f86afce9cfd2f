import ArticleAPI
import ArticleOffline
import BroadsheetTestSupport
import Testing

/// Adding, sending and folding writes.
@Suite struct OutboxQueueTests {
    private let bread: Article = {
        var bread = article(1, title: "Bread", summary: "Flour", body: "Knead.")
        bread.version = "1-abcdef"
        return bread
    }()
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func after(hours: Int64) -> Timestamp {
        start.advanced(byMilliseconds: hours * 3_600_000)
    }

    private func add(
        _ write: PendingWrite, to queue: inout OutboxQueue, base: Article? = nil, key: String
    ) -> OutboxQueue.Edit {
        queue.add(
            write, to: bread.id, base: base ?? (write.isCreate ? nil : bread), account: "ada",
            key: key, at: start)
    }

    private func title(_ text: String) -> PendingWrite { .update(.init(title: .set(text))) }

    // MARK: Folding

    @Test func `edits that nobody has seen become one`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        let edit = add(.update(.init(summary: .set("Rye"))), to: &queue, key: "2")
        #expect(queue.entries.map(\.number) == [1] && edit.stored == queue.entries)
        #expect(
            queue.entries[0].write
                == .update(.init(title: .set("Loaf"), summary: .set("Rye"))))
        #expect(queue.entries[0].base == bread && queue.entries[0].key == "2")
    }

    @Test func `an edit that is taken back is not sent`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        let edit = add(title("Bread"), to: &queue, key: "2")
        #expect(queue.entries.isEmpty && edit.removed.map(\.number) == [1])
        #expect(add(title("Bread"), to: &queue, key: "3").isEmpty)
    }

    @Test func `a creation takes edits, and a deletion takes both away`() {
        var queue = OutboxQueue()
        let draft = Article.Draft(id: bread.id, title: "Bread", tags: ["baking"])
        _ = add(.create(draft), to: &queue, key: "1")
        let shown = queue.entries.overlay(on: nil)
        #expect(shown?.title == "Bread" && shown?.slug == "bread" && shown?.tags.count == 1)
        _ = add(title("Loaf"), to: &queue, base: shown, key: "2")
        var expected = draft
        expected.title = "Loaf"
        #expect(queue.entries.map(\.write) == [.create(expected)])
        #expect(add(.delete, to: &queue, base: shown, key: "3").removed.count == 1)
        #expect(queue.entries.isEmpty)
    }

    @Test func `a deletion replaces an edit and expects the same version`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        _ = add(.delete, to: &queue, key: "2")
        #expect(queue.entries.map(\.write) == [.delete])
        #expect(queue.entries[0].base == bread)
        #expect(queue.entries.overlay(on: bread) == nil)
    }

    @Test func `writes of another account stay apart`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        _ = queue.add(
            .delete, to: bread.id, base: bread, account: "ben", key: "2", at: start)
        #expect(queue.entries.map(\.account) == ["ada", "ben"])
    }

    @Test func `folding has the effect of the writes one after the other`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            var queue = OutboxQueue()
            var applied = bread
            for step in 0..<Int.random(in: 1...4, using: &random) {
                var changes = Article.Changes()
                if Bool.random(using: &random) { changes.title = .set("T\(step)") }
                if Bool.random(using: &random) { changes.summary = .clear }
                if Bool.random(using: &random) {
                    let part = Article.HeroImageChanges(
                        url: step == 0 ? .set("https://example.com/0") : .keep,
                        alternativeText: .set("A\(step)"))
                    changes.heroImage = step % 2 == 0 ? .set(part) : .clear
                }
                guard (try? applied.draft(applying: changes)) != nil else { continue }
                _ = add(.update(changes), to: &queue, base: applied, key: "\(step)")
                applied = applied.applying(changes)
            }
            #expect(queue.entries.count <= 1)
            #expect((queue.entries.overlay(on: bread) ?? bread) == applied)
        }
    }

    // MARK: Sending

    @Test func `a write behind one that was sent continues from its response`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        #expect(queue.begin(1, at: start)?.stored.first?.status == .sending)
        let shown = queue.entries.overlay(on: bread)
        _ = add(.update(.init(summary: .set("Rye"))), to: &queue, base: shown, key: "2")
        #expect(queue.entries.map(\.number) == [1, 2])
        #expect(queue.sendable(at: start).isEmpty && queue.begin(2, at: start) == nil)
        var response = bread.applying(.init(title: .set("Loaf")))
        response.version = "2-abcdef"
        let edit = queue.finish(1, .applied(response), newKey: "x", retryAt: nil)
        #expect(edit?.removed.map(\.number) == [1] && edit?.stored.map(\.base) == [response])
        #expect(queue.sendable(at: start).map(\.key) == ["2"])
    }

    @Test func `writes of different articles are sent independently`() {
        var queue = OutboxQueue()
        for number in 1...3 {
            _ = queue.add(
                .delete, to: article(number).id, base: article(number), account: "ada",
                key: "\(number)", at: start)
        }
        _ = queue.begin(2, at: start)
        #expect(queue.sendable(at: start).map(\.number) == [1, 3])
    }

    @Test func `an attempt without a response is repeated with the same key, and later`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        _ = queue.begin(1, at: start)
        _ = queue.finish(1, .noResponse, newKey: "x", retryAt: after(hours: 1))
        #expect(queue.sendable(at: start).isEmpty)
        #expect(queue.nextTime(after: start) == after(hours: 1))
        #expect(queue.sendable(at: after(hours: 1)).map(\.key) == ["1"])
        // The clock was set back.
        #expect(queue.sendable(at: after(hours: -1)).map(\.key) == ["1"])
        _ = add(.update(.init(summary: .set("Rye"))), to: &queue, key: "2")
        #expect(queue.entries.count == 2)
    }

    @Test func `an attempt that did not leave the device does not make the key old`() {
        var queue = OutboxQueue()
        _ = add(title("Loaf"), to: &queue, key: "1")
        _ = queue.begin(1, at: start)
        _ = queue.finish(1, .notSent, newKey: "x", retryAt: nil)
        #expect(queue.expire(at: after(hours: 48)).isEmpty)
        #expect(queue.sendable(at: after(hours: 48)).map(\.key) == ["1"])
        _ = add(.delete, to: &queue, key: "2")
        #expect(queue.entries.map(\.write) == [.delete])
    }

    @Test func `after a restart, an attempt is repeated with the same key`() throws {
        var queue = OutboxQueue()
        _ = add(title("Cafe\u{301}"), to: &queue, key: "1")
        let began = queue.begin(1, at: start)
        let edit = try #require(began)
        let rows = try edit.stored.map { try OutboxEntry(mapping: $0.json()) }
        #expect(rows == edit.stored)
        var next = OutboxQueue(rows)
        let again = next.begin(1, at: start)?.stored.first
        #expect(again?.key == "1" && again?.write == edit.stored.first?.write)
        #expect(again?.attempts == 2 && again?.firstSentAt == start)
    }

    @Test(arguments: [(22, true), (23, false), (30, false), (-2, false)] as [(Int64, Bool)])
    func `a key is not sent when the backend may have forgotten it`(
        hours: Int64, isSendable: Bool
    ) {
        var queue = OutboxQueue()
        var unversioned = bread
        unversioned.version = nil
        _ = add(title("Loaf"), to: &queue, base: unversioned, key: "1")
        _ = queue.begin(1, at: start)
        _ = queue.finish(1, .noResponse, newKey: "x", retryAt: nil)
        #expect(queue.sendable(at: after(hours: hours)).isEmpty == !isSendable)
        #expect((queue.begin(1, at: after(hours: hours)) != nil) == isSendable)
        guard !isSendable else { return }
        #expect(queue.expire(at: after(hours: hours)).stored.map(\.status) == [.needsConfirmation])
        #expect(queue.sendAgain(1, newKey: "2")?.stored.map(\.key) == ["2"])
        // It may have been carried out, so nothing becomes part of it.
        _ = add(.delete, to: &queue, key: "3")
        #expect(queue.sendable(at: after(hours: hours)).map(\.key) == ["2"])
        #expect(queue.entries.count == 2)
    }

    @Test(
        arguments: [
            .update(.init(title: .set("Loaf"))), .delete, .create(Article.Draft(title: "Loaf")),
        ] as [PendingWrite])
    func `a write that names a version or an id needs no key`(write: PendingWrite) {
        for hours in [22, 23, 72, -2] as [Int64] {
            var queue = OutboxQueue()
            _ = add(write, to: &queue, key: "1")
            _ = queue.begin(1, at: start)
            _ = queue.finish(1, .noResponse, newKey: "x", retryAt: nil)
            #expect(queue.expire(at: after(hours: hours)).isEmpty)
            let begun = queue.begin(1, at: after(hours: hours))?.stored
            #expect(begun?.map(\.key) == ["1"])
        }
    }

    @Test func `a write of a kind that is not known cannot be read as another one`() {
        let row = Array(#"{"kind":"restore","changes":{"title":"x"}}"#.utf8)
        #expect(throws: ResponseMapperError.self) { try PendingWrite(mapping: row) }
    }
}

extension PendingWrite {
    fileprivate var isCreate: Bool { if case .create = self { true } else { false } }
}
