import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import BroadsheetTesting
import Testing

/// What a backend in memory has that others have not, and the reverse.
@Suite struct InMemoryTests {
    @Test func `the samples are there`() async throws {
        let reader = BackendService.inMemory()
        let page = try await reader.send(FetchArticlesRequest())
        #expect(page.items.map(\.id) == Article.samples.dropFirst(2).map(\.id))
        let first = try #require(page.items.first)
        let comments = try await reader.send(FetchCommentsRequest(articleID: first.id))
        #expect(comments.items.map(\.body) == ArticleComment.samples.map(\.body))
        let authors = try await reader.send(FetchAuthorsRequest()).items
        #expect(authors.map(\.name) == Author.samples.map(\.name))
        let found = try await reader.send(SearchArticlesRequest(query: "lighthouse")).items
        #expect(found.map(\.article.slug) == ["what-the-lighthouse-keeper-knows"])
        let editor = BackendService.inMemory(signedInAs: .sample())
        #expect(try await editor.send(FetchArticlesRequest()).items.count == 12)
        #expect(try await editor.send(FetchMeRequest()) == .sample())
        let none = BackendService.inMemory(.empty)
        #expect(try await none.send(FetchArticlesRequest()).items.isEmpty)
    }

    @Test func `equal backends are equal, and do not share anything`() async throws {
        let clock = TickingClock()
        let services = (1...2).map { _ in
            BackendService.inMemory(signedInAs: .sample(), environment: clock.environment)
        }
        var created: [Article] = []
        for service in services {
            created.append(
                try await service.send(CreateArticleRequest(article: .init(title: "New"))))
        }
        #expect(created[0] == created[1] && created[0].slug == "new")
        let other = services[0].otherDevice(signedInAs: .sample())
        #expect(try await other.send(FetchArticleRequest(key: .slug("new"))).id == created[0].id)
    }

    @Test func `a body is paragraphs of HTML, unless the article has its own`() async throws {
        let articles: [Article] = [
            .sample(id: .sample(1), title: "A", body: "1 < *2*\n\n\n& \"3\"\n4"),
            .sample(id: .sample(2), title: "B", bodyHTML: "<p>Own</p>"),
        ]
        let backend = BackendService.inMemory(.init(articles: articles), signedInAs: .sample())
        func html(_ number: Int) async throws -> String? {
            let request = FetchArticleRequest(
                key: .id(.sample(number)), fields: FieldSelection(["bodyHTML"]))
            return try await backend.send(PartialRequest(request, fields: ["bodyHTML"])).bodyHTML
        }
        #expect(try await html(1) == "<p>1 &lt; *2*</p>\n<p>&amp; &quot;3&quot;\n4</p>")
        #expect(try await html(2) == "<p>Own</p>")
        try await backend.send(
            UpdateArticleRequest(id: .sample(2), changes: .init(body: .set("New"))))
        #expect(try await html(2) == "<p>New</p>")
    }

    @Test func `a request that it does not know says so`() async throws {
        let backend = BackendService.inMemory(signedInAs: .sample())
        func problem(_ request: some BackendAPIRequest) async -> Problem? {
            do throws(BackendError) { try await backend.send(request) } catch {
                return error.problem
            }
            return nil
        }
        let sessions = await problem(FetchSessionsRequest())
        #expect(sessions?.kind == .notImplemented)
        #expect(sessions?.detail == "The backend in memory has no GET /v1/me/sessions.")
        let restore = await problem(RestoreRevisionRequest(id: .sample(), number: 1))
        #expect(restore?.kind == .notImplemented)
        let identity = ProvidedIdentity(
            provider: "apple", idToken: "a.b.c", nonce: String(repeating: "n", count: 16))
        let signIn = await problem(SignInRequest(identity))
        #expect(signIn?.kind == .notImplemented)
    }

    @Test func `any name and password sign in, but an account keeps its password`() async throws {
        let backend = BackendService.inMemory()
        let user = try await backend.signIn(name: "anyone", password: "a")
        #expect(user.role == .editor && user.displayName == "anyone")
        let again = try await backend.otherDevice().signIn(name: "Anyone", password: "b")
        #expect(again.id == user.id)
        try await backend.signUp(name: "leo", password: "battery staple")
        let other = backend.otherDevice()
        let error = await #expect(throws: BackendError.self) {
            try await other.signIn(name: "leo", password: "b")
        }
        guard case .signInRejected? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!other.auth.isSignedIn)
    }

    @Test func `an argument decides where an app gets its articles`() async throws {
        func backend(_ arguments: [String]) -> BackendService? {
            .inMemory(ifLaunchedWith: "-samples", signedInAs: .sample(), arguments: arguments)
        }
        #expect(backend(["/app"]) == nil && backend(["/app", "-samples-not"]) == nil)
        let samples = try #require(backend(["/app", "-samples"]))
        #expect(try await samples.send(FetchArticlesRequest()).items.count == 12)
        #expect(BackendService.inMemory(ifLaunchedWith: "-samples") == nil)
    }
}
