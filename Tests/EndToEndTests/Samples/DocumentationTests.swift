import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import DocumentationSamples

/// The listings of the documentation's pages, run against a server.
@Suite(.mayBlock) struct DocumentationTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let configuration: BackendConfiguration
    let backend: BackendService

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples", "--sign-up", "open"])
        let baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
        configuration = .patient(baseURL)
        backend = BackendService(
            configuration: configuration, auth: BackendAuth(token: RunningServer.adminKey))
    }

    @Test func `articles are listed, read and followed by tag`() async throws {
        _ = try await newestTitles(of: backend)
        #expect(try await readFirstSteps(on: backend).hasSuffix("(network)"))
        #expect(try await readFirstSteps(on: backend).hasSuffix("(revalidated)"))
        let titles = try await allTitles(on: backend)
        #expect(titles.count > 2 && Set(titles).count == titles.count)
        let filter = await TagFilter(backend)
        await filter.show(tag: "writing")
        #expect(await filter.articles.count == titles.count)
        let home = HomeScreen()
        #expect(try await home.load(from: backend).count > 10)
        home.leave()
    }

    @MainActor @Test func `a list redraws what has changed`() async throws {
        let tag = "writing"
        var steps: [ArticleList.Rows.Difference.Step] = []
        let list = ArticleList(backend, secondsFromGMT: { _ in 0 }, redraw: { steps += $0 })
        await list.refresh()
        let shown = list.rows.itemCount
        #expect(shown > 0 && steps.count == shown + list.rows.groups.count)
        await list.more()
        steps = []
        let draft = Article.Draft(title: "Hello", body: "First *paragraph*.", tags: [tag])
        let article = try await publish(draft, key: "list", on: backend)
        await list.refresh()
        let place = Snapshot<ArticleSection, Article>.Place(section: 0, item: 0)
        #expect(list.rows.item(at: place)?.id == article.id)
        #expect(
            steps.contains { step in
                if case .insertItem(let item, place) = step { item.id == article.id } else { false }
            })
        let later = article.updatedAt.advanced(byMilliseconds: 120_000)
        let lines = rowLines(article, now: later, languages: ["ko-KR"])
        #expect(lines == ["Hello", "2분 전 · 읽는 데 1분", "First paragraph."])
    }

    @MainActor @Test func `a draft is edited with undo`() {
        var titles: [String] = []
        let editor = DraftEditor(Article.Draft(title: "Bread")) { titles.append($0.title) }
        editor.type(title: "Rye")
        editor.add(tag: "baking")
        editor.undo()
        editor.undo()
        editor.redo()
        #expect(titles == ["Rye", "Rye", "Rye", "Bread", "Rye"] && editor.draft.tags.isEmpty)
    }

    @MainActor
    @Test func `a screen follows until its task is cancelled`() async throws {
        let ready = Array("event: ready\nid: epoch.sealed\ndata: {}\n\n".utf8)
        let stub = BackendService.stub { routes in
            routes.on(StreamChangesRequest.self) { _ in EventStream(ready) }
        }
        let screen = LiveTitles(Titles(), on: stub)
        let follower = Task { try await screen.follow() }
        let isComplete = await eventually { screen.titles.isComplete }
        #expect(isComplete && screen.titles.token == "epoch.sealed")
        screen.scene(isActive: false)
        screen.scene(isActive: true)
        follower.cancel()
        await #expect(throws: BackendError.cancelled) { try await follower.value }
    }

    @Test func `an article is written once and published`() async throws {
        let draft = Article.Draft(title: "Hello", body: "To whom it may concern.")
        let article = try await publish(draft, key: "once", on: backend)
        #expect(article.status == .published && article.revision == 2)
    }

    @Test func `an article is read without the backend`() async throws {
        let slug = "your-first-request"
        await #expect(throws: BackendError.notCached) { try await copy(slug, of: backend) }
        let shown = Locked<[Article]>([])
        try await show(slug, on: backend) { article in shown.withLock { $0.append(article) } }
        #expect(served.stop() == 0)
        #expect(try await [copy(slug, of: backend)] == shown.withLock { $0 })
        await #expect(throws: BackendError.self) {
            try await show(slug, on: backend) { article in shown.withLock { $0.append(article) } }
        }
        #expect(shown.withLock { $0.count } == 2)
    }

    @MainActor @Test func `an edit is shown, confirmed or taken back`() async throws {
        let draft = Article.Draft(title: "First")
        let article = try await backend.send(CreateArticleRequest(article: draft))
        let editor = Editor(article, on: backend)
        try await editor.retitle("Second")
        #expect(editor.article.title == "Second" && editor.article.revision == 2)
        let late = Editor(article, on: backend)
        let error = await #expect(throws: BackendError.self) { try await late.retitle("Third") }
        #expect(late.article == article)
        #expect(error.map { Reaction($0, for: .save) } == .reload)
    }

    @Test func `a stub responds by type, and records its requests`() async throws {
        let service = stubbedBackend([])
        #expect(try await service.send(FetchTagsRequest(limit: 5)).items.isEmpty)
        #expect(limits(askedOf: service) == [5])
        #expect(appBackend(configuration).configuration.baseURL == configuration.baseURL)
        await #expect(throws: BackendError.problem(Problem(.forbidden))) {
            try await service.send(
                DeleteArticleRequest(id: Article.ID("01890000-0000-7000-8000-000000000000")!))
        }
    }

    @MainActor @Test func `the first screen follows the session`() async throws {
        let backend = try accountBackend(configuration, store: MemoryCredentialStore())
        let model = SessionModel(backend)
        let following = Task { await model.follow() }
        defer { following.cancel() }
        #expect(await eventually { model.screen == .signIn })
        try await model.signUp(name: "mina", password: "correct horse")
        #expect(await eventually { model.screen == .home })
        await model.signOut()
        #expect(await eventually { model.screen == .signIn })
        try await model.signIn(name: "mina", password: "correct horse")
        #expect(await eventually { model.screen == .home })
        let other = try accountBackend(configuration, store: MemoryCredentialStore())
        try await other.signIn(name: "mina", password: "correct horse")
        #expect(try await signOutElsewhere(on: backend) == 1)
        // No provider is configured.
        await #expect(throws: BackendError.self) {
            try await signIn(withAppleToken: "a.b.c", nonce: "n", to: backend)
        }
        #expect(model.screen == .home)
    }

    @MainActor @Test func `a form signs in and loads what comes next`() async throws {
        let backend = try accountBackend(configuration, store: MemoryCredentialStore())
        try await backend.signUp(name: "mina", password: "correct horse")
        let article = try #require(try await backend.send(FetchArticlesRequest()).items.first)
        try await keep(article.id, at: 0.4, on: backend)
        await backend.signOut()
        let form = SignInForm(backend)
        await form.submit(name: "mina", password: "wrong horse")
        #expect(form.problem?.title == "Could not sign in")
        #expect(form.problem?.message == "The name or the password is wrong.")
        #expect(form.bookmarks.isEmpty && !backend.auth.isSignedIn)
        await form.submit(name: "mina", password: "correct horse")
        #expect(form.problem == nil && form.bookmarks.map(\.articleID) == [article.id])
        #expect(try await backend.send(FetchSessionsRequest()).items.count == 1)
        form.cancel()
    }

    @MainActor @Test func `an article is discussed and bookmarked`() async throws {
        let draft = Article.Draft(title: "Bread", status: .published)
        let article = try await backend.send(CreateArticleRequest(article: draft)).id
        let reader = try accountBackend(configuration, store: MemoryCredentialStore())
        try await reader.signUp(name: "mina", password: "correct horse", displayName: "Mina")
        let discussion = Discussion(of: article, on: reader)
        let (first, second) = (newID(), newID())
        let question = try await discussion.add("What about *rye*?", id: first)
        _ = try await discussion.add("And salt?", id: second)
        let reply = try await discussion.add("Yes.", id: newID(), to: question)
        let ids = discussion.comments.map(\.id)
        #expect(Set(ids) == [first, second, reply.id] && ids.count == 3)
        let place = try #require(ids.firstIndex(of: first))
        #expect(ids.firstIndex(of: reply.id) == place + 1)
        #expect(discussion.comments.allSatisfy { $0.author?.displayName == "Mina" })
        try await keep(article, at: 0.4, on: reader)
        #expect(try await readingList(on: reader).map(\.position) == [0.4])
        try await forget(article, on: reader)
        #expect(try await readingList(on: reader).isEmpty)
    }

    private func newID() -> ArticleComment.ID {
        .init(at: Timestamp(milliseconds: SystemClock.wallNanoseconds / 1_000_000))
    }

    @Test func `tokens are renewed at a sign-in service`() async throws {
        let transport = InProcessTransport { request, _ in
            guard "\(request.target)" != "/tokens" else {
                return HTTPResponse(
                    .ok, body: .bytes(Tokens(access: "new", renewal: "next").json()))
            }
            guard request.fields[.authorization] == "Bearer new" else {
                return HTTPResponse(
                    .unauthorized, fields: [.contentType: Problem.mediaType],
                    body: .bytes(Problem(.unauthenticated).json()))
            }
            return HTTPResponse(.ok, body: .bytes(Array(#"{"items": []}"#.utf8)))
        }
        let store = MemoryCredentialStore(Credentials(token: "old", refreshToken: "a"))
        let service = BackendService(
            configuration: BackendConfiguration(baseURL: "http://localhost"), transport: transport,
            auth: try renewingAuth(store: store))
        #expect(try await service.send(FetchArticlesRequest()).items.isEmpty)
        #expect(store.load() == Credentials(token: "new", refreshToken: "next"))
    }

    @Test func `a custom request, a download and canned bytes work`() async throws {
        let service = cannedBackend(json: #"{"text": "Hello, Ada"}"#)
        #expect(try await greeting(for: "Ada", from: service) == "Hello, Ada")
        let parts = Counter()
        let bytes = try await download(from: backend) { _ in parts.next() }
        #expect(!bytes.isEmpty)
        #expect(try await observedBackend(configuration).send(FetchTagsRequest()).items.count > 0)
    }

    @Test func `failures are mapped to reactions`() async throws {
        do throws(BackendError) {
            _ = try await backend.send(FetchArticleRequest(key: .slug("not-there")))
            Issue.record("it was there")
        } catch {
            let alert = Reaction.alert(
                title: "Could not load", text: "This is no longer there. Go back and reload.",
                offersRetry: false)
            #expect(Reaction(error, for: .load) == alert)
        }
        #expect(Reaction(.cancelled, for: .load) == .nothing)
        guard case .alert(_, _, true) = Reaction(.timedOut, for: .save) else {
            throw TestFailure("timed out")
        }
    }
}
