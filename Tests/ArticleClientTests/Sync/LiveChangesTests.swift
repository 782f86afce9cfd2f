import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Live changes over streams that a test writes.
@Suite struct LiveChangesTests {
    /// Responds with the sources in order; the last one stays open.
    private func backend(_ sources: LiveSource...) -> TestBackend {
        TestBackend { _, count in sources[min(count, sources.count - 1)].response }
    }

    // MARK: Pages

    @Test func `changes that arrive together are a page, and ready says that it is current`()
        async throws
    {
        let source = LiveSource()
        let backend = backend(source)
        var steps = LiveSteps(backend.service().liveChanges(from: "a"))
        let (b, c, d) = (LiveSource.change("b"), LiveSource.change("c"), LiveSource.change("d"))
        source.send(": hello\n\n" + b + c + d.prefix(40))
        #expect(try await steps.next() == "2 c more")
        source.send(d.dropFirst(40) + LiveSource.ready("e"))
        #expect(try await steps.next() == "1 e")
        source.send(": comment\n")
        source.send(LiveSource.change("f"))
        #expect(try await steps.next() == "1 f")
        #expect(backend.requests.map(\.beginning) == ["stream a"])
        #expect(
            backend.requests[0].fields[.accept] == "text/event-stream, application/problem+json")
    }

    @Test func `ready is a page, even if nothing has happened`() async throws {
        let source = LiveSource()
        var steps = LiveSteps(backend(source).service().liveChanges(from: "a"))
        source.send(LiveSource.ready("a"))
        #expect(try await steps.next() == "0 a")
    }

    @Test(arguments: [nil, 120])
    func `a page has a limited number of changes`(limit: Int?) async throws {
        let source = LiveSource()
        source.send((1...253).map { LiveSource.change("\($0)") }.joined() + LiveSource.ready("r"))
        let filter = FetchChangesRequest(limit: limit, tags: ["x"])
        let backend = backend(source)
        var steps = LiveSteps(backend.service().liveChanges(from: nil, matching: filter))
        let found = try await steps.next(3)
        let size = limit ?? 100
        #expect(
            found == ["\(size) \(size) more", "\(size) \(2 * size) more", "\(253 - 2 * size) r"])
        #expect(backend.requests[0].target.description == "/v1/changes/stream?tag=x")
    }

    @Test func `pages say when everything has arrived`() async throws {
        let feed = ChangeFeed(pageSize: 100)
        let ids = (1...3).map { feed.add("a\($0)") }
        var page = try feed.page(FetchChangesRequest())
        func events() -> String {
            page.changes.map { LiveSource.change("t", $0) }.joined()
        }
        let source = LiveSource()
        var iterator = backend(source).service().liveChanges(from: nil).makeAsyncIterator()
        source.send(events())
        let first = try await iterator.next(isolation: nil)
        #expect(first == .page(ChangePage(changes: page.changes, next: "t", more: true)))
        source.send(LiveSource.ready("t"))
        let second = try await iterator.next(isolation: nil)
        #expect(second == .page(ChangePage(changes: [], next: "t", more: false)))
        feed.delete(ids[0])
        page = try feed.page(FetchChangesRequest(since: page.next))
        source.send(events())
        let third = try await iterator.next(isolation: nil)
        #expect(third == .page(ChangePage(changes: page.changes, next: "t", more: false)))
    }

    @Test func `what this version does not know is not an error`() async throws {
        let source = LiveSource()
        var iterator = backend(source).service().liveChanges(from: "a").makeAsyncIterator()
        source.send("event: hint\nid: x\ndata: ?\n\nevent: change\nid: b\n")
        source.send("data: {\"type\":\"image\",\"action\":\"put\",\"id\":\"1\"}\n\n")
        let step = try await iterator.next(isolation: nil)
        let page = ChangePage<Article>(changes: [.unknown(type: "image")], next: "b", more: true)
        #expect(step == .page(page))
    }

    // MARK: Interruptions

    @Test func `an interrupted stream is resumed by the token of the last step`() async throws {
        let time = TestTime()
        let (first, second, third) = (LiveSource(), LiveSource(), LiveSource())
        let backend = backend(first, second, third)
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: nil))
        first.send(LiveSource.change("a") + LiveSource.change("b"))
        #expect(try await steps.next() == "2 b more")
        first.fail(.failed(TransportFailure(.disconnected, "gone")))
        second.send(LiveSource.ready("b"))
        #expect(try await steps.next() == "0 b")
        second.send("retry: 2500\n")
        second.end()
        third.send(LiveSource.change("c"))
        #expect(try await steps.next() == "1 c more")
        #expect(backend.requests.map(\.beginning) == ["stream", "stream b b", "stream b b"])
        #expect(time.waits == [.seconds(1), .seconds(2.5)])
    }

    @Test func `delays grow up to 30 s, until a step is delivered`() async throws {
        let time = TestTime()
        let (open, last) = (LiveSource(), LiveSource())
        let backend = TestBackend { _, count in
            switch count {
            case 0, 2: throw TransportError.offline("no network")
            case 1: LiveSource(": nothing\n\n").response
            case 3: rejection(.internalError)
            case 4..<8: HTTPResponse(.ok, fields: [.contentType: "text/html"], body: .bytes([]))
            case 8: open.response
            default: last.response
            }
        }
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "a"))
        open.send(LiveSource.ready("b"))
        #expect(try await steps.next() == "0 b")
        open.end()
        last.send(LiveSource.ready("c"))
        #expect(try await steps.next() == "0 c")
        #expect(time.waits == [1, 2, 4, 8, 16, 30, 30, 30, 1].map { .seconds($0) })
    }

    @Test func `Retry-After is observed, and delays are random`() async throws {
        let time = TestTime()
        let source = LiveSource()
        let backend = TestBackend { _, count in
            guard count < 2 else { return source.response }
            var response = rejection(count == 0 ? .tooManyRequests : .unavailable)
            if count == 0 { response.fields.set(.retryAfter, to: "77") }
            return response
        }
        var environment = time.environment
        environment.random = { $0 / 4 }
        var steps = LiveSteps(
            backend.service(environment: environment).liveChanges(from: "a"))
        source.send(LiveSource.ready("a"))
        #expect(try await steps.next() == "0 a")
        #expect(time.waits == [.seconds(77), .milliseconds(500)])
    }

    @Test func `observers hear of each interruption`() async throws {
        let heard = Lock([BackendEvent.Kind]())
        let source = LiveSource()
        let backend = TestBackend { _, count in
            if count == 0 { throw TransportError.offline("no network") }
            return source.response
        }
        let service = backend.service(observers: [
            { event in
                guard case .retried = event.kind else { return }
                #expect(event.target == "/v1/changes/stream?since=a")
                heard.withLock { $0.append(event.kind) }
            }
        ])
        var steps = LiveSteps(service.liveChanges(from: "a"))
        source.send(LiveSource.ready("a"))
        #expect(try await steps.next() == "0 a")
        let kinds = heard.withLock { $0 }
        #expect(kinds == [.retried(after: .seconds(1), because: .offline("no network"))])
    }

    // MARK: Tokens

    @Test(arguments: [Problem.Kind.syncReset, .invalidToken])
    func `a rejected token starts anew, with the snapshot`(kind: Problem.Kind) async throws {
        let source = LiveSource()
        let backend = TestBackend { _, count in count == 0 ? rejection(kind) : source.response }
        let time = TestTime()
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "a"))
        source.send(LiveSource.change("b"))
        #expect(try await steps.next(2) == ["anew", "1 b more"])
        #expect(backend.requests.map(\.beginning) == ["stream a", "stream"])
        #expect(time.waits.isEmpty)
    }

    @Test func `it starts anew once until it is current`() async throws {
        let (first, second) = (LiveSource(), LiveSource())
        let backend = TestBackend { _, count in
            switch count {
            case 1: first.response
            case 3: second.response
            default: rejection(.syncReset)
            }
        }
        var steps = LiveSteps(backend.service().liveChanges(from: "a"))
        first.send(LiveSource.change("b") + LiveSource.ready("b"))
        first.end()
        #expect(try await steps.next(3) == ["anew", "1 b", "anew"])
        second.send(LiveSource.change("c"))
        second.end()
        #expect(try await steps.next() == "1 c more")
        let error = await outcome { try await steps.next() }.error
        #expect(error?.problem?.kind == .syncReset)
        let begun = backend.requests.map(\.beginning)
        #expect(begun == ["stream a", "stream", "stream b b", "stream", "stream c c"])
    }

    @Test(arguments: [nil, FetchChangesRequest.now])
    func `without a token, a rejection is an error`(token: String?) async throws {
        let backend = TestBackend { _, _ in rejection(.invalidToken) }
        var steps = LiveSteps(backend.service().liveChanges(from: token))
        let error = await outcome { try await steps.next() }.error
        #expect(error?.problem?.kind == .invalidToken)
    }

    // MARK: Errors

    @Test(arguments: [Problem.Kind.forbidden, .notFound, .unauthenticated, .notImplemented])
    func `what repeating cannot fix is an error`(kind: Problem.Kind) async throws {
        let backend = TestBackend { _, _ in rejection(kind) }
        var steps = LiveSteps(backend.service().liveChanges(from: "a"))
        let error = await outcome { try await steps.next() }.error
        #expect(error?.problem?.kind == kind && backend.requests.count == 1)
    }

    @Test(arguments: [
        "event: change\nid: c\ndata: {}\n\n", "event: change\nid: c\ndata: ?\n\n",
        "event: change\nid\ndata: {\"type\":\"a\",\"action\":\"b\",\"id\":\"1\"}\n\n",
        "event: ready\nid:\ndata: {}\n\n",
    ])
    func `an event against the contract is an error, after what came before it`(
        event: String
    ) async throws {
        let (first, second) = (LiveSource(), LiveSource())
        let backend = backend(first, second)
        var steps = LiveSteps(backend.service().liveChanges(from: "a"))
        first.send(LiveSource.change("b") + event + LiveSource.change("d"))
        #expect(try await steps.next() == "1 b more")
        let error = await outcome { try await steps.next() }.error
        guard case .mapping? = error else { throw TestFailure("\(error as Any)") }
        // The same iterator can go on.
        second.send(LiveSource.ready("e"))
        #expect(try await steps.next() == "0 e")
        #expect(backend.requests.map(\.beginning) == ["stream a", "stream b b"])
    }
}
