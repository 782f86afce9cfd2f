import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Changes as a sequence of steps, over a feed in memory.
@Suite struct ChangesTests {
    let feed = ChangeFeed()

    private var backend: BackendService {
        .stub { [feed] routes in routes.on(FetchChangesRequest.self) { try feed.page($0) } }
    }

    private func steps(_ changes: BackendChanges) async throws -> [SyncStep] {
        var steps: [SyncStep] = []
        for try await step in changes { steps.append(step) }
        return steps
    }

    private func lastToken(_ steps: [SyncStep]) throws -> String {
        guard case .page(let page)? = steps.last else { throw TestFailure("\(steps)") }
        return page.next
    }

    @Test func `the snapshot comes in pages and ends with the last one`() async throws {
        for number in 1...7 { feed.add("a\(number)") }
        let backend = backend
        var iterator = backend.changes(since: nil).makeAsyncIterator()
        #expect(backend.received(FetchChangesRequest.self).isEmpty)
        var sizes: [Int] = []
        while case .page(let page)? = try await iterator.next(isolation: nil) {
            sizes.append(page.changes.count)
            #expect(backend.received(FetchChangesRequest.self).count == sizes.count)
        }
        #expect(sizes == [3, 3, 1])
        #expect(try await iterator.next(isolation: nil) == nil)
        #expect(
            backend.received(FetchChangesRequest.self).map(\.since) == [nil, "1.3.", "1.6."])
    }

    @Test func `a token continues where it was given out, with the same filter`() async throws {
        feed.add("a1", tags: ["x"])
        let filter = FetchChangesRequest(since: "ignored", limit: 2, tags: ["x"])
        let backend = backend
        let token = try lastToken(try await steps(backend.changes(since: nil, matching: filter)))
        feed.add("a2", tags: ["x"])
        let found = try await steps(backend.changes(since: token, matching: filter))
        guard found.count == 1, case .page(let page) = found[0] else {
            throw TestFailure("\(found)")
        }
        #expect(page.changes.count == 1)
        let asked = backend.received(FetchChangesRequest.self)
        #expect(asked.map(\.since) == [nil, token])
        #expect(asked.allSatisfy { $0.tags == ["x"] && $0.limit == 2 })
        let again = try await steps(backend.changes(since: page.next, matching: filter))
        #expect(again == [.page(ChangePage(changes: [], next: page.next, more: false))])
    }

    @Test(arguments: ["0.1.", "1.1.other", "?"])
    func `a rejected token starts anew, with the snapshot`(token: String) async throws {
        for number in 1...4 { feed.add("a\(number)") }
        let found = try await steps(backend.changes(since: token))
        #expect(found.first == .restart && found.count == 3)
        #expect(try lastToken(found) == "1.4.")
    }

    @Test func `a history that changes during the snapshot starts it anew`() async throws {
        for number in 1...4 { feed.add("a\(number)") }
        var iterator = backend.changes(since: nil).makeAsyncIterator()
        _ = try await iterator.next(isolation: nil)
        feed.reset()
        #expect(try await iterator.next(isolation: nil) == .restart)
        guard case .page(let page)? = try await iterator.next(isolation: nil) else {
            throw TestFailure("no page")
        }
        #expect(page.changes.count == 3 && page.more)
        // Once is enough: a backend that rejects its own tokens is at fault.
        feed.reset()
        let error = await outcome { try await iterator.next(isolation: nil) }.error
        #expect(error?.problem?.kind == .syncReset)
    }

    @Test func `other failures are thrown, and the page can be requested again`() async throws {
        let problems = Counter()
        let feed = feed
        for number in 1...4 { feed.add("a\(number)") }
        let backend = BackendService.stub { routes in
            routes.on(FetchChangesRequest.self) { request in
                if request.since != nil, problems.next() == 0 { throw Problem(.unavailable) }
                return try feed.page(request)
            }
        }
        var iterator = backend.changes(since: nil).makeAsyncIterator()
        _ = try await iterator.next(isolation: nil)
        await #expect(throws: BackendError.problem(Problem(.unavailable))) {
            _ = try await iterator.next(isolation: nil)
        }
        guard case .page(let page)? = try await iterator.next(isolation: nil) else {
            throw TestFailure("no page")
        }
        #expect(page.changes.count == 1)
    }

    @Test func `a rejected snapshot, or a rejected since=now, does not start anew`()
        async throws
    {
        let backend = BackendService.stub { routes in
            routes.on(FetchChangesRequest.self) { _ in throw Problem(.syncReset) }
        }
        for token in [nil, FetchChangesRequest.now] {
            let error = await outcome { try await steps(backend.changes(since: token)) }.error
            #expect(error?.problem?.kind == .syncReset)
        }
    }

    @Test func `circular pages end with an error`() async throws {
        let backend = BackendService.stub { routes in
            routes.on(FetchChangesRequest.self) { request in
                ChangePage(changes: [], next: request.since == "b" ? "a" : "b", more: true)
            }
        }
        let count = Counter()
        let error = await outcome {
            for try await _ in backend.changes(since: "a") { count.next() }
        }.error
        guard case .mapping? = error else { throw TestFailure("\(error as Any)") }
        #expect(count.value == 2)
    }

    @Test func `a cancelled task stops, and a deadline holds for each page`() async throws {
        let (asked, never) = (Signal(), Signal())
        let backend = BackendService.stub { routes in
            routes.on(FetchChangesRequest.self) { _ in
                asked.give()
                await never.wait()
                return ChangePage(changes: [], next: "a", more: false)
            }
        }
        let patient = RequestOptions(timeout: .seconds(Patience.seconds))
        let reader = Task {
            await outcome {
                try await steps(backend.changes(since: nil, options: patient))
            }.error
        }
        await asked.wait()
        reader.cancel()
        #expect(await reader.value == .cancelled)
        let options = RequestOptions(timeout: .milliseconds(1))
        let late = await outcome {
            try await steps(backend.changes(since: nil, options: options))
        }.error
        #expect(late == .timedOut)
        never.give()
    }

    @Test func `a temporary failure is retried`() async throws {
        let feed = feed
        feed.add("a")
        let server = TestBackend { request, count in
            guard count > 0 else { return HTTPResponse(.serviceUnavailable) }
            let body = try feed.page(FetchChangesRequest()).json()
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(body))
        }
        #expect(try await steps(server.service(cache: nil).changes(since: nil)).count == 1)
        #expect(server.requests.count == 2)
    }
}
