import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Live changes where streams do not get through.
@Suite struct LivePollingTests {
    private let feed = ChangeFeed()
    private let time = TestTime()

    /// Serves pages of the feed, and these streams in order.
    private func backend(_ streams: @escaping @Sendable (Int) throws -> HTTPResponse) -> TestBackend
    {
        let (feed, count) = (feed, Counter())
        return TestBackend { request, _ in
            if request.beginning.hasPrefix("stream") { return try streams(count.next()) }
            let since = request.beginning.split(separator: " ").dropFirst().first.map(String.init)
            do throws(Problem) {
                let page = try feed.page(FetchChangesRequest(since: since))
                return HTTPResponse(
                    .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
            } catch { return rejection(error.kind ?? .internalError) }
        }
    }

    /// A stream of which nothing arrives.
    private static var swallowed: HTTPResponse {
        let source = LiveSource()
        source.fail(.timedOut)
        return source.response
    }

    @Test(arguments: [false, true])
    func `pages are requested where nothing of a stream arrives`(withoutHead: Bool) async throws {
        for number in 1...4 { feed.add("a\(number)") }
        let backend = backend { _ in
            if withoutHead { throw TransportError.timedOut }
            return Self.swallowed
        }
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: nil))
        #expect(try await steps.next(2) == ["3 1.3. more", "1 1.4."])
        feed.add("a5")
        #expect(try await steps.next() == "1 1.5.")
        #expect(
            backend.requests.map(\.beginning) == ["stream", "page", "page 1.3.", "page 1.4."])
        #expect(time.waits == [.seconds(35)])
    }

    @Test func `a page without news is a step only if it makes the copy current`() async throws {
        let live = LiveSource()
        let backend = backend { count in count == 0 ? Self.swallowed : live.response }
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "1.0."))
        #expect(try await steps.next() == "0 1.0.")
        // After 10 min, a stream is tried again, and replaces the pages.
        live.send(LiveSource.change("1.1.") + LiveSource.ready("1.1."))
        #expect(try await steps.next() == "1 1.1.")
        live.send(LiveSource.change("1.2."))
        #expect(try await steps.next() == "1 1.2.")
        let begun = backend.requests.map(\.beginning)
        #expect(begun.filter { $0.hasPrefix("stream") } == ["stream 1.0.", "stream 1.0. 1.0."])
        #expect(begun.last == "stream 1.0. 1.0." && begun.count == 20)
        #expect(time.waits == Array(repeating: .seconds(35), count: 18))
    }

    @Test func `a stream that falls silent is resumed`() async throws {
        let source = LiveSource()
        let backend = backend { count in
            guard count == 0 else { return source.response }
            let first = LiveSource()
            first.send(": hello\n")
            first.fail(.timedOut)
            return first.response
        }
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "1.0."))
        source.send(LiveSource.ready("1.0."))
        #expect(try await steps.next() == "0 1.0.")
        #expect(backend.requests.map(\.beginning) == ["stream 1.0.", "stream 1.0."])
    }

    @Test func `silence is measured by the clock`() async throws {
        feed.add("a")
        let silent = LiveSource()
        let backend = backend { _ in silent.response }
        let options = RequestOptions(
            timeout: .seconds(Patience.seconds), streamStallTimeout: .milliseconds(50))
        var steps = LiveSteps(
            backend.service(environment: .system).liveChanges(from: nil, options: options))
        #expect(try await steps.next() == "1 1.1.")
        // And the silent stream is closed.
        await silent.closed.wait()
    }

    @Test func `a token that is rejected while polling starts anew`() async throws {
        feed.add("a")
        let backend = backend { _ in Self.swallowed }
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "0.1."))
        #expect(try await steps.next(2) == ["anew", "1 1.1."])
    }

    @Test func `without a network, streams are tried again`() async throws {
        let live = LiveSource()
        let backend = TestBackend { _, count in
            switch count {
            case 0: Self.swallowed
            case 1: throw TransportError.offline("no network")
            default: live.response
            }
        }
        live.send(LiveSource.ready("a"))
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "a"))
        #expect(try await steps.next() == "0 a")
        #expect(backend.requests.map(\.beginning) == ["stream a", "page a", "stream a"])
        #expect(time.waits == [.seconds(1)])
    }

    @Test func `a page that leads nowhere is an error`() async throws {
        let backend = TestBackend { request, _ in
            if request.beginning.hasPrefix("stream") { return Self.swallowed }
            let page = ChangePage<Article>(changes: [], next: "a", more: true)
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
        }
        var steps = LiveSteps(backend.service(time: time).liveChanges(from: "a"))
        let error = await outcome { try await steps.next() }.error
        guard case .mapping? = error else { throw TestFailure("\(error as Any)") }
    }
}
