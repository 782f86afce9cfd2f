import ArticleAPI
import ArticleClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The examples of operations, queues and searches.
@Suite struct ArticleClientOperationExamples {
    private let configuration = BackendConfiguration(baseURL: "http://localhost")

    /// Records downloads, and how many of them ran at the same time.
    private final class Downloads: Sendable {
        private let state = Lock((names: [String](), running: 0, most: 0))
        var names: [String] { state.withLock { $0.names } }
        var most: Int { state.withLock { $0.most } }

        func run(_ name: String) async -> NetworkOperation.Outcome {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
            await Task.yield()
            state.withLock { state in
                state.running -= 1
                state.names.append(name)
            }
            return .success(())
        }
    }

    @Test func `a queue that pauses images`() async throws {
        let queue = NetworkQueue(width: 4, pausing: ["images": [.offline, .constrained]])
        queue.conditions = [.expensive, .constrained]
        let image = NetworkOperation(group: "images") { .success(()) }
        queue.add(image)
        #expect(queue.count == 1)
        queue.conditions = .expensive
        try await image.ended().get()
    }

    @Test func `operations of which one depends on another`() async throws {
        let downloads = Downloads()
        let download: @Sendable (String) async -> NetworkOperation.Outcome = downloads.run
        let queue = NetworkQueue()
        let preview = NetworkOperation(priority: .low, group: "images") { await download("small") }
        let image = NetworkOperation(group: "images", after: [preview]) { await download("large") }
        queue.add(preview)
        queue.add(image)
        try await image.ended().get()
        #expect(downloads.names == ["small", "large"])
    }

    @Test func `a queue of limited width`() async throws {
        let downloads = Downloads()
        let download: @Sendable (String) async -> NetworkOperation.Outcome = downloads.run
        let names = (1...20).map { "image \($0)" }
        let queue = NetworkQueue(width: 2)
        for name in names { queue.add(NetworkOperation(group: "images") { await download(name) }) }
        #expect(await eventually { queue.count == 0 })
        #expect(Set(downloads.names) == Set(names) && downloads.names.count == names.count)
        #expect((1...2).contains(downloads.most))
    }

    @Test func `a request as an operation`() async throws {
        let backend = BackendService(
            configuration: configuration, transport: ExampleBackend().transport)
        let queue = NetworkQueue()
        let tags = ServiceOperation(FetchTagsRequest(), on: backend, priority: .high)
        queue.add(tags)
        let page = try await tags.value()
        #expect(page.items.map(\.tag.name) == ["Swift"])
    }

    @Test func `a sign-in as an operation`() async throws {
        let (backend, password) = (ServedExampleBackend.backend(), "correct horse")
        let queue = NetworkQueue()
        let signIn = SignInOperation(name: "ada", password: password, on: backend)
        let list = ServiceOperation(FetchBookmarksRequest(), on: backend, after: [signIn.operation])
        queue.add(signIn)
        queue.add(list)
        #expect(try await list.value().items.count == 1 && backend.auth.isSignedIn)
        let signUp = SignUpOperation(name: "ada", password: password, on: backend)
        queue.add(signUp)
        #expect(try await signUp.value() == ServedExampleBackend.user)
    }

    @Test func `a search of which only the latest response counts`() async throws {
        var environment = ClientEnvironment.system
        let pauses = Lock<[Duration]>([])
        environment.sleep = { pause in pauses.withLock { $0.append(pause) } }
        let (isSent, isReleased) = (Signal(), Signal())
        let backend = BackendService.stub(environment: environment) { routes in
            routes.on(SearchArticlesRequest.self) { request in
                if request.query == "sw" {
                    isSent.give()
                    await isReleased.wait()
                }
                return SearchPage(items: [])
            }
        }
        let search = SupersedingRequests(backend, pause: .milliseconds(250))
        let page = try await search.send(SearchArticlesRequest(query: "swift"))
        #expect(page.items.isEmpty)
        let early = Task { try await search.send(SearchArticlesRequest(query: "sw")) }
        await isSent.wait()
        _ = try await search.send(SearchArticlesRequest(query: "swift"))
        await #expect(throws: BackendError.superseded) { try await early.value }
        isReleased.give()
        #expect(pauses.withLock { $0 } == Array(repeating: .milliseconds(250), count: 3))
    }
}
