import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import Testing

private struct Row: Identifiable, Equatable, Sendable {
    let id: Int
    var text = ""
}

private struct Failure: Error, Equatable {
    let reason: String
}

private typealias Rows = PagedListState<Row, Failure>

/// A backend's list, newest first: the cursor is the position after the last item of a page, in the
/// order of the list, as the backend's cursors are.
private struct Server {
    /// By position; a row that is moved gets another one.
    var rows: [Int: Row] = [:]
    private var top = 0
    private var ids = 0

    mutating func add(at position: Int? = nil) {
        top += 1_000
        ids += 1
        let place = position ?? top
        if rows[place] == nil { rows[place] = Row(id: ids) }
    }

    mutating func change(using random: inout SplitMix64) {
        let position = rows.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: add()
        case 2: add(at: Int.random(in: 0..<max(1, top), using: &random))
        case 3: if let position { rows[position] = nil }
        case 4: if let position { rows[position]?.text += "." }
        default:
            // An edit that moves a row to the top.
            guard let position, let row = rows.removeValue(forKey: position) else { return }
            top += 1_000
            rows[top] = row
        }
    }

    func page(after cursor: String?, limit: Int) -> Page<Row> {
        let end = cursor.flatMap { Int($0) } ?? .max
        let places = rows.keys.filter { $0 < end }.sorted(by: >).prefix(limit)
        let isLast = places.count < limit
        return Page(
            items: places.compactMap { rows[$0] }, next: isLast ? nil : places.last.map { "\($0)" })
    }
}

/// Lists that are loaded page by page while they change.
@Suite struct PagedListStateTests {
    private func required(_ load: Rows.Load?) throws -> Rows.Load { try #require(load) }

    private static let pages = [
        Page(items: [Row(id: 1), Row(id: 2)], next: "a"),
        Page(items: [Row(id: 3)], next: "b"), Page(items: [Row(id: 4)]),
    ]

    @Test(arguments: 0..<4)
    func `a list that changes meanwhile has no duplicates and no gaps`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<100 {
            var server = Server()
            for _ in 0..<Int.random(in: 0..<30, using: &random) { server.add() }
            var list = Rows()
            for _ in 0..<2 {
                let before = server.rows
                var following: Rows.Load? = list.refresh()
                while let load = following {
                    let page = server.page(after: load.cursor, limit: 5)
                    following = list.receive(page, for: load) ?? list.more()
                    for _ in 0..<Int.random(in: 0..<4, using: &random) {
                        server.change(using: &random)
                    }
                }
                #expect(list.phase == .exhausted)
                let ids = list.items.map(\.id)
                #expect(Set(ids).count == ids.count)
                // Whatever kept its place is in the list, in its order.
                let kept = before.filter { server.rows[$0.key]?.id == $0.value.id }
                let expected = kept.sorted { $0.key > $1.key }.map(\.value.id)
                #expect(ids.filter(Set(expected).contains) == expected)
            }
        }
    }

    @Test func `pages follow each other`() throws {
        var list = Rows()
        #expect(list.phase == .idle)
        let first = try required(list.more())
        #expect(first.kind == .refresh && first.cursor == nil && list.phase == .loading(.refresh))
        let busy = list.more()
        #expect(busy == nil)
        list.receive(Self.pages[0], for: first)
        #expect(list.phase == .loaded && list.items.map(\.id) == [1, 2])
        let second = try required(list.more())
        #expect(second.cursor == "a" && list.phase == .loading(.more) && list.items.count == 2)
        list.receive(Self.pages[1], for: second)
        let third = try required(list.more())
        list.receive(Self.pages[2], for: third)
        #expect(list.phase == .exhausted && list.items.map(\.id) == [1, 2, 3, 4])
        let none = list.more()
        #expect(none == nil)
    }

    @Test func `a refresh replaces the list when it arrives`() {
        var list = Rows()
        list.receive(Self.pages[0], for: list.refresh())
        let load = list.refresh()
        #expect(list.items.map(\.id) == [1, 2] && list.phase == .loading(.refresh))
        let refreshing = list.more()
        #expect(refreshing == nil)
        list.receive(Page(items: [Row(id: 9), Row(id: 1)]), for: load)
        #expect(list.items.map(\.id) == [9, 1] && list.phase == .exhausted)
    }

    @Test func `late responses are ignored`() throws {
        var list = Rows()
        let first = list.refresh()
        let second = list.refresh()
        list.receive(Self.pages[0], for: first)
        list.fail(Failure(reason: "late"), for: first)
        list.stop(first)
        #expect(list.items.isEmpty && list.phase == .loading(.refresh))
        list.receive(Self.pages[0], for: second)
        let more = try required(list.more())
        let third = list.refresh()
        list.receive(Self.pages[1], for: more)
        #expect(list.items.count == 2 && list.phase == .loading(.refresh))
        list.receive(Self.pages[0], for: third)
        list.receive(Self.pages[0], for: third)
        let next = list.more()
        #expect(next?.cursor == "a" && list.phase == .loading(.more))
    }

    @Test func `a failed load can be tried again`() throws {
        var list = Rows()
        list.fail(Failure(reason: "offline"), for: list.refresh())
        #expect(list.phase == .failed(Failure(reason: "offline"), .refresh))
        list.receive(Self.pages[0], for: try required(list.more()))
        list.fail(Failure(reason: "offline"), for: try required(list.more()))
        #expect(list.phase == .failed(Failure(reason: "offline"), .more) && list.items.count == 2)
        let again = try required(list.more())
        #expect(again.cursor == "a")
        list.stop(again)
        #expect(list.phase == .loaded)
    }

    @Test func `a load that stops leaves the list as it was`() {
        var list = Rows()
        list.stop(list.refresh())
        #expect(list.phase == .idle)
        list.receive(Self.pages[2], for: list.refresh())
        list.stop(list.refresh())
        #expect(list.phase == .exhausted && list.items.count == 1)
    }

    @Test func `an item that comes again keeps its place and gets its new content`() throws {
        var list = Rows()
        list.receive(Self.pages[0], for: list.refresh())
        let page = Page(items: [Row(id: 1, text: "new"), Row(id: 3)], next: "b")
        let following = list.receive(page, for: try required(list.more()))
        #expect(following == nil)
        #expect(list.items == [Row(id: 1, text: "new"), Row(id: 2), Row(id: 3)])
    }

    @Test func `a page without new items is followed by the next`() throws {
        var list = Rows()
        list.receive(Self.pages[0], for: list.refresh())
        let more = try required(list.more())
        let following = list.receive(Page(items: [Row(id: 2)], next: "b"), for: more)
        #expect(following?.cursor == "b" && list.phase == .loading(.more))
        let last = list.receive(Page(items: []), for: try required(following))
        #expect(last == nil && list.phase == .exhausted)
    }

    @Test func `a list whose cursors repeat ends`() throws {
        var list = Rows()
        list.receive(Self.pages[0], for: list.refresh())
        list.receive(Page(items: [Row(id: 3)], next: "a"), for: try required(list.more()))
        #expect(list.phase == .exhausted)
    }

    @Test func `a list has at most so many items and pages`() throws {
        var list = Rows(limit: 3)
        list.receive(Self.pages[0], for: list.refresh())
        let page = Page(items: [Row(id: 3), Row(id: 4)], next: "b")
        list.receive(page, for: try required(list.more()))
        #expect(list.items.count == 3 && list.phase == .exhausted)
        var following: Rows.Load? = list.refresh()
        var pages = 0
        while let load = following {
            pages += 1
            following = list.receive(Page(items: [], next: "\(pages)"), for: load)
        }
        #expect(pages == 4 && list.phase == .exhausted)
    }

    @Test func `a known change of an item is applied`() {
        var list = Rows()
        list.receive(Self.pages[0], for: list.refresh())
        let isThere = [list.update(Row(id: 2, text: "edited")), list.update(Row(id: 5))]
        #expect(isThere == [true, false])
        #expect(list.items == [Row(id: 1), Row(id: 2, text: "edited")])
    }
}
