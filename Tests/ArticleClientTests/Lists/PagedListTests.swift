import ArticleAPI
import ArticleClient
import BroadsheetPlatform
import BroadsheetTestSupport
import FoundationEssentials
import Observation
import Testing

/// Lists that load their pages from a stub.
@MainActor @Suite struct PagedListTests {
    private typealias Tags = PagedList<FetchTagsRequest>

    nonisolated private static func usage(_ name: String, count: Int = 1) -> ArticleTag.Usage {
        ArticleTag.Usage(tag: ArticleTag(named: name), articleCount: count)
    }

    /// Serves pages of names; the cursor of a page is its number.
    private static func backend(_ pages: [[String]]) -> BackendService {
        BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                let number = request.cursor.flatMap { Int($0) } ?? 0
                guard number < pages.count else { throw Problem(.notFound) }
                let names = pages[number]
                let isLast = number == pages.count - 1
                return Page(items: names.map { usage($0) }, next: isLast ? nil : "\(number + 1)")
            }
        }
    }

    @Test func `pages are loaded until the end`() async {
        let backend = Self.backend([["a", "b"], ["b"], ["c"], []])
        var phases: [Tags.State.Phase] = []
        let list = Tags(backend, FetchTagsRequest(limit: 2)) { _, new in
            phases.append(new.phase)
        }
        await list.more()
        #expect(list.state.items.map(\.id) == ["a", "b"])
        // The second page has nothing new, so the third is loaded, too.
        await list.more()
        #expect(list.state.items.map(\.id) == ["a", "b", "c"] && list.state.phase == .loaded)
        await list.more()
        await list.more()
        #expect(
            phases == [
                .loading(.refresh), .loaded, .loading(.more), .loading(.more), .loaded,
                .loading(.more), .exhausted,
            ])
        let asked = backend.received(FetchTagsRequest.self)
        #expect(asked.map(\.cursor) == [nil, "1", "2", "3"] && asked.allSatisfy { $0.limit == 2 })
    }

    @Test func `a stored state is shown again, and goes on with the next page`() async throws {
        let backend = Self.backend([["a", "b"], ["c"], ["d"]])
        let first = Tags(backend, FetchTagsRequest(limit: 2))
        await first.refresh()
        await first.more()
        let data = try JSONEncoder().encode(first.state)
        let state = try JSONDecoder().decode(Tags.State.self, from: data)
        let list = Tags(backend, FetchTagsRequest(limit: 2), restoring: state)
        #expect(list.items == first.items && list.state.phase == .loaded)
        await list.more()
        #expect(list.items.map(\.id) == ["a", "b", "c", "d"] && list.state.phase == .exhausted)
        let whole = try JSONDecoder().decode(
            Tags.State.self, from: try JSONEncoder().encode(list.state))
        #expect(whole.phase == .exhausted)
        await list.refresh()
        #expect(list.items.map(\.id) == ["a", "b"])
    }

    @Test func `a load in progress or an error is not stored`() async throws {
        var state = Tags.State()
        _ = state.refresh()
        let copy = try JSONDecoder().decode(
            Tags.State.self, from: try JSONEncoder().encode(state))
        #expect(copy.phase == .idle && copy.items.isEmpty)
        let load = state.refresh()
        state.receive(Page(items: [Self.usage("a")], next: "1"), for: load)
        let begun = state.more()
        let more = try #require(begun)
        state.fail(.offline("no network"), for: more)
        var restored = try JSONDecoder().decode(
            Tags.State.self, from: try JSONEncoder().encode(state))
        #expect(restored.phase == .loaded)
        #expect(restored.more()?.cursor == "1")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Tags.State.self, from: Data("{}".utf8))
        }
    }

    @Test func `an error ends a load and can be tried again`() async {
        let isDown = Signal()
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { _ in
                if !isDown.isGiven { throw Problem(.forbidden) }
                return Page(items: [Self.usage("a")])
            }
        }
        let list = Tags(backend, FetchTagsRequest())
        await list.refresh()
        guard case .failed(.problem(let problem), .refresh) = list.state.phase else {
            Issue.record("\(list.state.phase)")
            return
        }
        #expect(problem.status == 403)
        isDown.give()
        await list.more()
        #expect(list.state.items.count == 1 && list.state.phase == .exhausted)
    }

    @Test func `the items that appear load the next page, but not again after an error`() async {
        let isDown = Signal()
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                if isDown.isGiven { throw Problem(.unavailable) }
                let number = request.cursor.flatMap { Int($0) } ?? 0
                let names = (0..<4).map { "\(number)\($0)" }
                return Page(items: names.map { Self.usage($0) }, next: "\(number + 1)")
            }
        }
        let list = Tags(backend, FetchTagsRequest())
        await list.more()
        await list.itemDidAppear(list.items[1], within: 2)
        #expect(list.items.count == 4)
        await list.itemDidAppear(Self.usage("unknown"), within: 2)
        #expect(list.items.count == 4)
        await list.itemDidAppear(list.items[2], within: 2)
        #expect(list.items.count == 8 && !list.isLoading && list.error == nil)
        isDown.give()
        await list.itemDidAppear(list.items[7])
        #expect(list.items.count == 8 && list.error?.problem?.kind == .unavailable)
        let count = backend.received(FetchTagsRequest.self).count
        await list.itemDidAppear(list.items[7])
        #expect(backend.received(FetchTagsRequest.self).count == count)
    }

    @Test func `another list replaces the items, whatever comes of the former one`() async {
        let (asked, late) = (Signal(), Signal())
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                guard request.limit == 1 else { return Page(items: [Self.usage("b")]) }
                if request.cursor == nil { return Page(items: [Self.usage("a")], next: "1") }
                asked.give()
                await late.wait()
                return Page(items: [Self.usage("c")])
            }
        }
        let list = Tags(backend, FetchTagsRequest(limit: 1))
        await list.more()
        let more = Task { await list.more() }
        await asked.wait()
        let isSeen = Lock(false)
        withObservationTracking {
            #expect(list.items.map(\.id) == ["a"])
        } onChange: {
            isSeen.withLock { $0 = true }
        }
        await list.show(FetchTagsRequest(limit: 2))
        #expect(isSeen.withLock { $0 } && list.items.map(\.id) == ["b"])
        late.give()
        await more.value
        #expect(list.items.map(\.id) == ["b"] && list.state.phase == .exhausted)
        #expect(list.request.limit == 2)
    }

    @Test func `the response to an older refresh is ignored`() async {
        let (asked, late) = (Signal(), Signal())
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                guard request.cursor == "1" else {
                    return Page(items: [Self.usage("a")], next: "1")
                }
                asked.give()
                await late.wait()
                return Page(items: [Self.usage("late")])
            }
        }
        let list = Tags(backend, FetchTagsRequest())
        await list.refresh()
        let older = Task { await list.more() }
        await asked.wait()
        await list.refresh()
        late.give()
        await older.value
        #expect(list.state.items.map(\.id) == ["a"] && list.state.phase == .loaded)
    }

    @Test func `a cancelled load leaves the list as it was`() async {
        let (asked, never) = (Signal(), Signal())
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                guard request.cursor != nil else {
                    return Page(items: [Self.usage("a")], next: "1")
                }
                asked.give()
                await never.wait()
                return Page(items: [])
            }
        }
        let list = Tags(backend, FetchTagsRequest())
        await list.refresh()
        let load = Task { await list.more() }
        await asked.wait()
        #expect(list.state.phase == .loading(.more))
        load.cancel()
        await load.value
        #expect(list.state.phase == .loaded && list.state.items.count == 1)
        never.give()
    }

    @Test func `a known change of an item is reported once`() async {
        var counts: [[Int]] = []
        let list = Tags(Self.backend([["a"]]), FetchTagsRequest()) { _, new in
            counts.append(new.items.map(\.articleCount))
        }
        await list.refresh()
        list.update(Self.usage("a", count: 7))
        list.update(Self.usage("b"))
        #expect(counts == [[], [1], [7]])
    }

    @Test func `a list begins at the request's cursor`() async {
        let backend = Self.backend([["a"], ["b"], ["c"]])
        let list = Tags(backend, FetchTagsRequest(cursor: "1"))
        await list.refresh()
        await list.more()
        await list.refresh()
        #expect(backend.received(FetchTagsRequest.self).map(\.cursor) == ["1", "2", "1"])
        #expect(list.state.items.map(\.id) == ["b"])
    }
}
