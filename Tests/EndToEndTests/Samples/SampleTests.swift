import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Foundation
import Testing

/// The samples of README and documentation, run against a server. `SampleTextTests` checks that
/// they are identical to the documented ones.
@Suite(.mayBlock) struct SampleTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let configuration: BackendConfiguration
    let backend: BackendService

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples"])
        let baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
        configuration = .patient(baseURL)
        backend = BackendService(
            configuration: configuration, auth: BackendAuth(token: RunningServer.adminKey))
    }

    /// Compiled but not run: no server listens at its address.
    func inThreeLines() async throws {
        let configuration = BackendConfiguration(baseURL: "http://localhost:8080")
        let backend = BackendService(configuration: configuration)
        let page = try await backend.send(FetchArticlesRequest(tag: "swift"))
        _ = page
    }

    @Test func `lists are read page by page`() async throws {
        var request = FetchArticlesRequest(tag: "writing", limit: 2)
        var titles: [String] = []
        repeat {
            let page = try await backend.send(request)
            titles += page.items.map(\.title)
            request.cursor = page.next
        } while request.cursor != nil
        #expect(titles.count > 2 && Set(titles).count == titles.count)
    }

    @Test func `lists are read as sequences`() async throws {
        var titles: [String] = []
        for try await page in backend.pages(of: FetchArticlesRequest(tag: "writing", limit: 2)) {
            titles += page.items.map(\.title)
        }
        #expect(titles.count > 2 && Set(titles).count == titles.count)
    }

    @Test func `a cached copy is shown before the backend has replied`() async throws {
        let request = FetchArticleRequest(key: .slug("your-first-request"))
        for try await reply in backend.replies(to: request) {
            print("\(reply.item.title) (\(reply.source))")
        }
        #expect(try await backend.reply(to: request).source == .revalidated)
    }

    @Test func `previews and tests have a stub`() async throws {
        let (tags, limits) = try await stubbedTags()
        #expect(tags.items.map(\.id) == ["swift"] && limits == [5])
    }

    @Test func `a reply names its source`() async throws {
        var options = RequestOptions()
        options.freshness = .orCached(after: .seconds(Patience.seconds))
        let reply = try await backend.reply(
            to: FetchArticleRequest(key: .slug("your-first-request")), options: options)
        print("\(reply.item.title) (\(reply.source), \(reply.age) old)")
        #expect(reply.source == .network)
        #expect(served.stop() == 0)
        let copy = try await backend.reply(
            to: FetchArticleRequest(key: .slug("your-first-request")), options: options)
        #expect(copy.source == .cached && copy.item == reply.item)
    }

    @Test func `an article is written, and published unless it was changed concurrently`()
        async throws
    {
        let draft = Article.Draft(title: "Hello", body: "To whom it may concern.")
        let reply = try await backend.reply(to: CreateArticleRequest(article: draft))
        let published = try await backend.send(
            UpdateArticleRequest(
                id: reply.item.id, expected: reply.etag.map { .tags([$0]) },
                changes: Article.Changes(status: .set(.published))))
        #expect(published.status == .published && published.revision == 2)
    }

    @Test func `a write with an idempotency key is done once`() async throws {
        let key = UUID().uuidString
        let article = try await backend.send(
            CreateArticleRequest(article: Article.Draft(title: "Once"), idempotencyKey: key))
        let again = try await backend.send(
            CreateArticleRequest(article: Article.Draft(title: "Once"), idempotencyKey: key))
        #expect(again == article)
    }

    @Test func `failures are told apart`() async throws {
        do throws(BackendError) {
            _ = try await backend.send(FetchArticleRequest(key: .slug("not-there")))
        } catch {
            switch error {
            case .problem(let problem): print("refused, \(problem.status): \(problem.title)")
            case .unauthorized: print("sign in first")
            case .offline(let reason): print("no connection: \(reason)")
            case .cancelled, .superseded: break
            default: print(error)
            }
        }
        await #expect {
            try await backend.send(FetchArticleRequest(key: .slug("not-there")))
        } throws: { error in
            guard case BackendError.problem(let problem) = error else { return false }
            return problem.status == 404
        }
    }

    @Test func `a search while typing receives the last response`() async throws {
        let search = SupersedingRequests(backend)
        let found = try await search.send(FetchArticlesRequest(tag: "writing"))
        #expect(!found.items.isEmpty)
    }

    @Test func `operations wait for each other in a queue`() async throws {
        let queue = NetworkQueue(width: 2)
        let tags = ServiceOperation(FetchTagsRequest(), on: backend, priority: .high)
        let articles = ServiceOperation(
            FetchArticlesRequest(), on: backend, group: "home", after: [tags.operation])
        queue.add(tags)
        queue.add(articles)
        let page = try await articles.value()
        queue.cancelAll(group: "home")
        #expect(page.items.count > 10)
    }

    @Test func `a key is kept in a file`() async throws {
        let path = folder.file("credentials")
        let key = RunningServer.adminKey
        let auth = try BackendAuth(store: FileCredentialStore(path: path))
        try auth.signIn(Credentials(token: key))
        let backend = BackendService(configuration: configuration, auth: auth)
        try await backend.send(CreateArticleRequest(article: Article.Draft(title: "Mine")))
        #expect(try FileCredentialStore(path: path).load() == Credentials(token: key))
    }

    @Test func `observers are notified`() async throws {
        let backend = BackendService(
            configuration: configuration,
            observers: [
                { event in
                    guard case .finished = event.kind else { return }
                    print("\(event.curl)  # took \(event.duration)")
                }
            ])
        #expect(try await !backend.send(FetchTagsRequest()).items.isEmpty)
    }

    @Test func `tests need no sockets`() async throws {
        let transport = InProcessTransport { request, _ in
            HTTPResponse(.ok, body: .bytes(Array(#"{"items": []}"#.utf8)))
        }
        let configuration = BackendConfiguration(baseURL: "http://localhost")
        let backend = BackendService(configuration: configuration, transport: transport)
        let page = try await backend.send(FetchArticlesRequest())
        #expect(page.items.isEmpty)
    }

    @Test func `the program of the manual works as documented`() throws {
        let program = try RunningProgram(
            builtProgram("broadsheet-first-steps"),
            ["http://\(served.addresses[0])", RunningServer.adminKey])
        let lines = program.output.rest()
        #expect(program.wait() == 0, "\(program.errors.rest())")
        try #require(lines.count == 7, "\(lines)")
        // A response that arrives before the next question is asked is not superseded.
        for (line, tag) in zip(lines[3...4], ["w", "wri"]) {
            let outcomes = ["the request was superseded by a later one", "0 found"]
            #expect(outcomes.contains { line == "\(tag): \($0)" })
        }
        #expect(lines[5].hasPrefix("writing: ") && lines[5].hasSuffix(" found"))
        #expect(lines[6] == "revision 3: First steps")
    }
}

/// A request as an app declares one, for the documentation of `Parameters`.
private struct RetitleRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.patch, "/v1/articles/{id}", access: .writeArticles)
    typealias Item = Article

    static let parameters =
        Parameters(
            Self.init, .path("id", \.id, .identifier()),
            .header("If-Match", \.expected, .ifMatch), .mergePatch(\.changes))

    var id: Article.ID
    var expected: IfMatch?
    var changes: Article.Changes
}
