import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct SupersedingRequestsTests {
    private static func question(_ text: String) -> FetchArticlesRequest {
        FetchArticlesRequest(tags: [text])
    }

    @Test func `a new request ends the previous one`() async throws {
        let asked = Signal()
        let cancelled = Signal()
        let backend = TestBackend { request, _ in
            guard "\(request.target)".hasSuffix("=s") else { return page("sw") }
            asked.give()
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.give()
            }
            return page("s")
        }
        let search = SupersedingRequests(backend.service())
        let first = Task { await outcome { try await search.send(Self.question("s")) } }
        await asked.wait()
        #expect(try await search.send(Self.question("sw")).next == "sw")
        #expect(await first.value.error == .superseded)
        await cancelled.wait()
    }

    @MainActor @Test func `on one actor, a stale response is never delivered`() async throws {
        let backend = TestBackend { request, _ in
            await Task.yield()
            return page("\(request.target)")
        }
        let search = SupersedingRequests(backend.service(cache: nil))
        var latest = 0
        var delivered: [Int] = []
        var tasks: [Task<Void, Never>] = []
        var random = SplitMix64(seed: 7)
        for number in 1...400 {
            tasks.append(
                Task { @MainActor in
                    latest = number
                    guard (try? await search.send(Self.question("\(number)"))) != nil else {
                        return
                    }
                    // What is delivered is of the last question that was asked.
                    #expect(latest == number)
                    delivered.append(number)
                })
            for _ in 0..<Int.random(in: 0...6, using: &random) { await Task.yield() }
        }
        for task in tasks { await task.value }
        #expect(delivered == delivered.sorted())
        #expect(delivered.last == 400)
    }

    @Test func `a cancelled request delivers no response`() async throws {
        let asked = Signal()
        let never = Signal()
        let backend = TestBackend { _, _ in
            asked.give()
            await never.wait()
            return page("late")
        }
        let search = SupersedingRequests(backend.service())
        let task = Task { await outcome { try await search.send(list) }.error }
        await asked.wait()
        search.clear()
        #expect(await task.value == .superseded)
        never.give()
    }

    @Test func `the caller's cancellation is not reported as superseded`() async throws {
        let asked = Signal()
        let never = Signal()
        let backend = TestBackend { _, _ in
            asked.give()
            await never.wait()
            return page("late")
        }
        let search = SupersedingRequests(backend.service())
        let task = Task { await outcome { try await search.send(list) }.error }
        await asked.wait()
        task.cancel()
        #expect(await task.value == .cancelled)
        never.give()
    }

    @Test func `with a pause, only the last request is sent`() async throws {
        let backend = TestBackend { request, _ in page("\(request.target)") }
        let time = TestTime()
        let (sleeping, isOver) = (Counter(), Signal())
        var environment = time.environment
        environment.sleep = { duration in
            #expect(duration == .milliseconds(250))
            sleeping.next()
            await isOver.wait()
            try Task.checkCancellation()
        }
        let service = BackendService(
            configuration: BackendConfiguration(baseURL: "http://localhost"),
            transport: backend.transport(environment), cache: nil, environment: environment)
        let search = SupersedingRequests(service, pause: .milliseconds(250))
        var questions: [Task<BackendError?, Never>] = []
        for (index, text) in ["s", "sw", "swift"].enumerated() {
            questions.append(
                Task { await outcome { try await search.send(Self.question(text)) }.error })
            #expect(await eventually { sleeping.value == index + 1 })
        }
        isOver.give()
        #expect(await questions[0].value == .superseded)
        #expect(await questions[1].value == .superseded)
        #expect(await questions[2].value == nil)
        #expect(backend.requests.map { "\($0.target)" } == ["/v1/articles?tag=swift"])
    }

    @Test func `other work than a request is superseded, too`() async throws {
        let search = SupersedingRequests(TestBackend { _, _ in page("") }.service())
        let (begun, cancelled) = (Signal(), Signal())
        let first = Task {
            await outcome {
                try await search.run { () async throws(BackendError) -> String in
                    begun.give()
                    await withTaskCancellationHandler {
                        await cancelled.wait()
                    } onCancel: {
                        cancelled.give()
                    }
                    return "late"
                }
            }
        }
        await begun.wait()
        let second = try await search.run { () async throws(BackendError) in "newest" }
        #expect(second == "newest")
        #expect(await first.value.error == .superseded)
        let failed = await outcome {
            try await search.run { () async throws(BackendError) -> String in
                throw .offline("no network")
            }
        }
        #expect(failed.error == .offline("no network"))
    }

    @Test func `work that waited until its user had signed out is not begun`() async throws {
        let (sleeping, isOver) = (Signal(), Signal())
        let time = TestTime()
        var environment = time.environment
        environment.sleep = { _ in
            sleeping.give()
            await isOver.wait()
        }
        let auth = BackendAuth(token: "t")
        let service = BackendService(
            configuration: BackendConfiguration(baseURL: "http://localhost"),
            transport: TestBackend { _, _ in page("") }.transport(environment), auth: auth,
            cache: nil, environment: environment)
        let search = SupersedingRequests(service, pause: .milliseconds(250))
        let task = Task {
            await outcome {
                try await search.run { () async throws(BackendError) in
                    Issue.record("it was begun")
                }
            }.error
        }
        await sleeping.wait()
        try auth.signOut()
        isOver.give()
        #expect(await task.value == .signedOut)
    }
}
