import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The reports of live changes between their steps.
@Suite struct LiveActivityTests {
    private let feed = ChangeFeed(pageSize: 2)
    private let time = TestTime()
    private let reports = Lock([LiveActivity]())

    /// Serves pages of the feed, and these streams in order.
    private func backend(_ streams: @escaping @Sendable (Int) throws -> HTTPResponse) -> TestBackend
    {
        let (feed, count) = (feed, Counter())
        return TestBackend { request, _ in
            if request.beginning.hasPrefix("stream") { return try streams(count.next()) }
            let since = request.beginning.split(separator: " ").dropFirst().first.map(String.init)
            let page = try feed.page(FetchChangesRequest(since: since))
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
        }
    }

    private func live(_ backend: TestBackend, from token: String? = nil) -> LiveChanges {
        let reports = reports
        return backend.service(time: time).liveChanges(
            from: token, matching: FetchChangesRequest(), onlyAs: .anonymous,
            report: { activity in reports.withLock { $0.append(activity) } })
    }

    /// The reports since the last call.
    private func takeReports() -> [LiveActivity] {
        reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }

    @Test func `pages come before a stream, and each request is reported first`() async throws {
        for number in 1...3 { feed.add("a\(number)") }
        let (first, second) = (LiveSource(), LiveSource())
        let backend = backend { count in (count == 0 ? first : second).response }
        var steps = LiveSteps(live(backend))
        #expect(try await steps.next() == "2 1.2. more")
        #expect(takeReports() == [.requesting])
        #expect(try await steps.next() == "1 1.3.")
        #expect(takeReports() == [.requesting])
        first.send(LiveSource.ready("1.3."))
        #expect(try await steps.next() == "0 1.3.")
        #expect(takeReports() == [.requesting, .streaming])
        first.end()
        second.send(LiveSource.change("b"))
        #expect(try await steps.next() == "1 b more")
        let error = BackendError.transport(
            TransportFailure(.disconnected, "the backend has ended the stream"))
        #expect(
            takeReports() == [.waiting(.seconds(1), because: error), .requesting, .streaming])
        #expect(
            backend.requests.map(\.beginning) == [
                "page", "page 1.2.", "stream 1.3. 1.3.", "stream 1.3. 1.3.",
            ])
    }

    @Test func `a poll without news is reported`() async throws {
        let feed = feed
        let backend = backend { _ in
            feed.add("b")
            throw TransportError.timedOut
        }
        var steps = LiveSteps(live(backend, from: "1.0."))
        #expect(try await steps.next(2) == ["0 1.0.", "1 1.1."])
        #expect(takeReports() == [.requesting, .requesting, .requesting])
        let late = TestBackend { request, count in
            guard request.beginning.hasPrefix("page") else { throw TransportError.timedOut }
            let next = count < 4 ? "a" : "b"
            let page = ChangePage<Article>(changes: [], next: next, more: false)
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
        }
        steps = LiveSteps(live(late, from: "a"))
        #expect(try await steps.next(2) == ["0 a", "0 b"])
        #expect(
            takeReports() == [
                .requesting, .requesting, .requesting, .polling, .requesting, .polling,
                .requesting,
            ])
    }

    @Test func `a reporter's error ends it`() async throws {
        let backend = backend { _ in throw TransportError.offline("no network") }
        let live = backend.service(time: time).liveChanges(
            from: "1.0.", matching: FetchChangesRequest(), onlyAs: .anonymous,
            report: { (activity) throws(BackendError) in
                if case .waiting(_, let error) = activity { throw error }
            })
        var steps = LiveSteps(live)
        #expect(try await steps.next() == "0 1.0.")
        let error = await outcome { try await steps.next() }.error
        #expect(error == .offline("no network"))
    }

    @Test(arguments: [SessionOwner.anonymous, .account("ada"), .account("grace")])
    func `another owner's session requests nothing`(owner: SessionOwner) async throws {
        feed.add("a")
        let backend = backend { _ in LiveSource().response }
        let store = MemoryCredentialStore(Credentials(token: "t", account: "grace"))
        let all: [(BackendAuth, SessionOwner)] = [
            (try BackendAuth(store: store), .account("grace")), (BackendAuth(), .anonymous),
            (BackendAuth(token: "t"), .unknown),
        ]
        for (auth, actual) in all {
            let live = backend.service(auth: auth, time: time).liveChanges(
                from: nil, matching: FetchChangesRequest(), onlyAs: owner, report: { _ in })
            var steps = LiveSteps(live)
            let error = await outcome { try await steps.next() }.error
            #expect(error == (actual == owner ? nil : .signedOut))
        }
        #expect(backend.requests.count == (owner == .account("ada") ? 0 : 1))
    }

    @Test func `a request that is reported can be prevented`() async throws {
        let source = LiveSource()
        let backend = backend { _ in source.response }
        let held = Lock<LiveChanges?>(nil)
        let suspended = Signal()
        let live = backend.service(time: time).liveChanges(
            from: "1.0.", matching: FetchChangesRequest(), onlyAs: .anonymous,
            report: { activity in
                guard activity == .requesting, !suspended.isGiven else { return }
                held.withLock { $0 }?.suspend()
                suspended.give()
            })
        held.withLock { $0 = live }
        let reader = Task {
            await outcome { () async throws -> String in
                var steps = LiveSteps(live)
                return try await steps.next()
            }
        }
        await suspended.wait()
        #expect(backend.requests.isEmpty)
        live.resume()
        #expect(try await reader.value.get() == "0 1.0.")
        #expect(backend.requests.count == 1)
        // Otherwise, the report and the changes would refer to each other for ever.
        held.withLock { $0 = nil }
    }
}
