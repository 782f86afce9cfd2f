import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The suspension of live changes, and their end.
@Suite struct LiveEndTests {
    /// A clock on which every wait is endless, and what waits on it is known.
    private final class EndlessTime: Sendable {
        let waiting = Signal()
        let left = Signal()

        var environment: ClientEnvironment {
            var environment = TestTime().environment
            environment.sleep = { [waiting, left] _ in
                waiting.give()
                let never = Signal()
                await withTaskCancellationHandler {
                    await never.wait()
                } onCancel: {
                    never.give()
                }
                left.give()
                throw CancellationError()
            }
            return environment
        }
    }

    private func read(
        _ live: LiveChanges, _ count: Int
    ) -> Task<Result<[String], BackendError>, Never> {
        Task {
            await outcome {
                var steps = LiveSteps(live)
                return try await steps.next(count)
            }
        }
    }

    // MARK: Suspension

    @Test func `suspending closes the connection, and resuming connects by the token`()
        async throws
    {
        let (first, second) = (LiveSource(), LiveSource())
        let delivered = Signal()
        let backend = TestBackend { _, count in (count == 0 ? first : second).response }
        let live = backend.service().liveChanges(from: "a")
        let reader = Task {
            await outcome {
                var steps = LiveSteps(live)
                let before = try await steps.next()
                delivered.give()
                return [before, try await steps.next()]
            }
        }
        first.send(LiveSource.ready("b"))
        await delivered.wait()
        live.suspend()
        live.suspend()
        await first.closed.wait()
        #expect(backend.requests.count == 1)
        second.send(LiveSource.change("c"))
        live.resume()
        #expect(try await reader.value.get() == ["0 b", "1 c more"])
        #expect(backend.requests.map(\.beginning) == ["stream a", "stream b b"])
    }

    @Test func `a delay ends when it is suspended, and is not continued`() async throws {
        let time = EndlessTime()
        let source = LiveSource()
        let backend = TestBackend { _, count in
            if count == 0 { throw TransportError.offline("no network") }
            return source.response
        }
        let live = backend.service(environment: time.environment).liveChanges(from: "a")
        let reader = read(live, 1)
        await time.waiting.wait()
        live.suspend()
        await time.left.wait()
        source.send(LiveSource.ready("a"))
        live.resume()
        #expect(try await reader.value.get() == ["0 a"])
    }

    @Test func `nothing is requested while it is suspended`() async throws {
        let source = LiveSource()
        let backend = TestBackend { _, _ in source.response }
        let live = backend.service().liveChanges(from: "a")
        live.suspend()
        let reader = read(live, 1)
        reader.cancel()
        #expect(await reader.value.error == .cancelled)
        #expect(backend.requests.isEmpty)
        live.resume()
        source.send(LiveSource.ready("a"))
        #expect(try await read(live, 1).value.get() == ["0 a"])
    }

    @Test func `what was suspended between two steps connects again`() async throws {
        let (first, second) = (LiveSource(), LiveSource())
        let backend = TestBackend { _, count in (count == 0 ? first : second).response }
        let live = backend.service().liveChanges(from: "a")
        var steps = LiveSteps(live)
        first.send(LiveSource.change("b"))
        #expect(try await steps.next() == "1 b more")
        live.suspend()
        live.resume()
        second.send(LiveSource.change("c"))
        #expect(try await steps.next() == "1 c more")
        await first.closed.wait()
    }

    @Test func `resuming ends polling`() async throws {
        let time = EndlessTime()
        let source = LiveSource()
        let backend = TestBackend { request, count in
            if count == 0 { throw TransportError.timedOut }
            if request.beginning.hasPrefix("stream") { return source.response }
            let page = ChangePage<Article>(changes: [], next: "b", more: false)
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
        }
        let live = backend.service(environment: time.environment).liveChanges(from: "a")
        let reader = read(live, 2)
        await time.waiting.wait()
        live.suspend()
        source.send(LiveSource.ready("c"))
        live.resume()
        #expect(try await reader.value.get() == ["0 b", "0 c"])
        #expect(backend.requests.map(\.beginning) == ["stream a", "page a", "stream b b"])
    }

    // MARK: Changes of the network

    @Test(arguments: [true, false])
    func `a change of the network ends delays and polling`(isPolling: Bool) async throws {
        let time = EndlessTime()
        let source = LiveSource()
        let backend = TestBackend { request, count in
            if count == 0 { throw isPolling ? TransportError.timedOut : .offline("no network") }
            if request.beginning.hasPrefix("stream") { return source.response }
            let page = ChangePage<Article>(changes: [], next: "a", more: false)
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
        }
        let service = backend.service(environment: time.environment)
        let live = service.liveChanges(from: "a")
        let reader = read(live, isPolling ? 2 : 1)
        await time.waiting.wait()
        source.send(LiveSource.ready("b"))
        service.networkDidChange()
        await time.left.wait()
        #expect(try await reader.value.get().last == "0 b")
        #expect(backend.requests.last?.beginning.hasPrefix("stream a") == true)
    }

    @Test func `a change of the network replaces a connection, but does not resume`() async throws {
        let (first, second) = (LiveSource(), LiveSource())
        let backend = TestBackend { _, count in (count == 0 ? first : second).response }
        let service = backend.service()
        let live = service.liveChanges(from: "a")
        var steps = LiveSteps(live)
        first.send(LiveSource.ready("b"))
        #expect(try await steps.next() == "0 b")
        service.networkDidChange()
        second.send(LiveSource.ready("c"))
        #expect(try await steps.next() == "0 c")
        await first.closed.wait()
        live.suspend()
        service.networkDidChange()
        let reader = read(live, 1)
        reader.cancel()
        #expect(await reader.value.error == .cancelled)
        #expect(backend.requests.map(\.beginning) == ["stream a", "stream b b"])
    }

    // MARK: Ends

    @Test func `a cancelled task ends it, and closes the connection`() async throws {
        let source = LiveSource()
        let connected = Signal()
        let backend = TestBackend { _, _ in
            connected.give()
            return source.response
        }
        let reader = read(backend.service().liveChanges(from: "a"), 1)
        await connected.wait()
        reader.cancel()
        #expect(await reader.value.error == .cancelled)
        await source.closed.wait()
    }

    @Test(arguments: ["connected", "waiting", "suspended"])
    func `the end of the session ends it`(state: String) async throws {
        let time = EndlessTime()
        let (source, connected) = (LiveSource(), Signal())
        let backend = TestBackend { _, _ in
            if state == "waiting" { throw TransportError.offline("no network") }
            connected.give()
            return source.response
        }
        let auth = BackendAuth(token: "a")
        let service = backend.service(auth: auth, environment: time.environment)
        let live = service.liveChanges(from: "a")
        if state == "suspended" { live.suspend() }
        let steps = LiveSteps(live)
        let ended = Task {
            await outcome {
                var steps = steps
                return try await steps.next()
            }.error
        }
        if state == "connected" { await connected.wait() }
        if state == "waiting" { await time.waiting.wait() }
        try auth.signIn(Credentials(token: "b"))
        #expect(await ended.value == .signedOut)
        guard state == "suspended" else { return }
        // What is iterated anew belongs to the new session.
        live.resume()
        source.send(LiveSource.ready("a"))
        #expect(try await read(live, 1).value.get() == ["0 a"])
        #expect(backend.requests.map { $0.fields[.authorization] } == ["Bearer b"])
    }
}
