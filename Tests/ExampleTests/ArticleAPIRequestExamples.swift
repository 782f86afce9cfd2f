import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

struct FetchRemindersRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/reminders", access: .everyone)
    typealias Item = Lenient<[Note]>
    static let parameters = Parameters(Self.init)
}

struct FetchGreetingRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/greetings/{name}", access: .everyone)
    typealias Item = Greeting
    static let parameters = Parameters(
        Self.init(name:), .path("name", \.name, .line(1...80)))
    var name: String
}

/// The examples of requests, each sent to a stub that parses it as a backend does.
@Suite struct ArticleAPIRequestExamples {
    private let backend = ServedExampleBackend.backend()
    private let article = ServedExampleBackend.article
    private var seen: IfMatch? { article.version.flatMap { IfMatch(version: $0) } }

    @Test func `articles`() async throws {
        do {
            let request = FetchArticlesRequest(tags: ["baking"], sort: .updatedLast)
            let titles = try await backend.send(request).items.map(\.title)
            #expect(titles == ["Bread"])
        }
        do {
            let request = PartialRequest(FetchArticlesRequest(), fields: [.title, .authors(.name)])
            let titles = try await backend.send(request).items.compactMap(\.title)
            #expect(titles == ["Bread"])
        }
        let selections = backend.received(FetchArticlesRequest.self).map(\.fields)
        #expect(selections == [nil, FieldSelection(["authors.name", "title"])])
        var titles: [String] = []
        let pages = backend.pages(of: FetchArticlesRequest(tag: "baking"))
        for try await article in pages.items { titles.append(article.title) }
        #expect(titles == ["Bread"])
    }

    @Test func `pages and their counts`() async throws {
        do {
            let page = try await backend.send(FetchArticlesRequest(limit: 20))
            let isLast = page.next == nil
            #expect(isLast && page.count == nil)
        }
        let page = try await backend.send(FetchArticlesRequest(count: .exact))
        let count = page.count.map { $0.isExact ? "\($0.value)" : "at least \($0.value)" }
        #expect(count == "1")
    }

    @Test func `a list without what cannot be decoded`() async throws {
        let request = Lenient.Request(FetchArticlesRequest(limit: 20))
        let page = try await backend.send(request)
        let (articles, missing) = (page.value.items, page.leftOut.count)
        #expect(articles.map(\.title) == ["Bread"] && missing == 0)
        #expect(FetchRemindersRequest.endpoint.method == .get)
    }

    @Test func `one article`() async throws {
        let article = try await backend.send(FetchArticleRequest(key: .slug("bread")))
        #expect(article == self.article)
    }

    @Test func `a new article`() async throws {
        let key = "bread-1"
        let draft = Article.Draft(title: "Bread", body: "Flour and water.")
        let request = CreateArticleRequest(article: draft, idempotencyKey: key)
        let article = try await backend.send(request)
        #expect(article.title == "Bread")
        #expect(backend.received(CreateArticleRequest.self) == [request])
    }

    @Test func `a replacement`() async throws {
        var content = article.draft
        content.title = "Rye bread"
        let saved = try await backend.send(
            ReplaceArticleRequest(id: article.id, expected: seen, article: .init(content: content)))
        #expect(saved.title == "Rye bread")
    }

    @Test func `an update`() async throws {
        let changes = Article.Changes(title: .set("Rye bread"))
        let saved = try await backend.send(UpdateArticleRequest(article, changes: changes))
        #expect(saved.title == "Rye bread")
        #expect(backend.received(UpdateArticleRequest.self).map(\.expected) == [seen])
    }

    @Test func `a deletion`() async throws {
        try await backend.send(DeleteArticleRequest(id: article.id, expected: seen))
        #expect(backend.received(DeleteArticleRequest.self).map(\.id) == [article.id])
    }

    @Test func `a history`() async throws {
        let id = article.id
        do {
            let page = try await backend.send(FetchRevisionsRequest(id: id, limit: 10))
            #expect(page.items.map(\.id) == [1])
        }
        let page = try await backend.send(FetchRevisionsRequest(id: id))
        let lines = page.items.map { "\($0.number): \($0.title), \($0.editor ?? "unknown")" }
        #expect(lines == ["1: Bread, Newsroom"])
        let first = try await backend.send(FetchRevisionRequest(id: id, number: 1))
        let restored = try await backend.send(RestoreRevisionRequest(id: id, number: 1))
        #expect(first == article && restored == article)
    }

    @Test func `deleted articles`() async throws {
        var lines: [String] = []
        do {
            let page = try await backend.send(FetchDeletedArticlesRequest(limit: 10))
            for gone in page.items { lines.append("\(gone.title), deleted at \(gone.deletedAt)") }
        }
        #expect(lines == ["Bread, deleted at \(ServedExampleBackend.time)"])
        var restored: Article?
        let page = try await backend.send(FetchDeletedArticlesRequest(limit: 1))
        for gone in page.items { restored = try await backend.send(RestoreRevisionRequest(gone)) }
        #expect(restored == article)
        let sent = backend.received(RestoreRevisionRequest.self)
        #expect(sent.map(\.number) == [4] && sent.map(\.expected) == [IfMatch(version: "4-x1y2z3")])
    }

    @Test func `authors`() async throws {
        let id = ServedExampleBackend.author.id
        let page = try await backend.send(FetchAuthorsRequest(limit: 10))
        #expect(page.items == [ServedExampleBackend.author])
        do {
            let author = try await backend.send(FetchAuthorRequest(id: id))
            let reference = Author.Reference(id: author.id, name: author.name)
            #expect(article.authors == [reference])
        }
        let content = Author.Replacement(name: "Ada Lovelace", about: "Writes about engines.")
        let author = try await backend.send(ReplaceAuthorRequest(id: id, author: content))
        #expect(author.about == "Writes about engines.")
    }

    @Test func `tags`() async throws {
        let page = try await backend.send(FetchTagsRequest(limit: 5))
        #expect(page.items.map(\.tag.name) == ["Baking"])
    }

    @Test func `a preview`() async throws {
        let preview = try await backend.send(PreviewRequest(body: "Hello, *world*."))
        let html = preview.bodyHTML
        #expect(html == "<p>Hello, <em>world</em>.</p>")
    }

    @Test func `the description of the API`() async throws {
        var names: [String] = []
        let description = try await backend.send(FetchDescriptionRequest())
        if case .object(let members) = description.document { names = members.map(\.name) }
        #expect(names == ["openapi"])
    }

    @Test func `a feed`() async throws {
        let query = FeedQuery(tags: ["baking"], limit: 50)
        let feed = try await backend.send(FetchAtomFeedRequest(query)).bytes
        #expect(String(decoding: feed, as: UTF8.self) == "<feed>baking</feed>")
    }

    @Test func `a search`() async throws {
        var lines: [String] = []
        let page = try await backend.send(SearchArticlesRequest(query: "swift 구조체", limit: 10))
        for hit in page.items {
            lines.append(hit.title.map { $0.isMatch ? "*\($0.text)*" : $0.text }.joined())
        }
        #expect(lines == ["Bread"])
        let pieces = [SearchPiece(text: "In "), SearchPiece(text: "Swift", isMatch: true)]
        let title = pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
        #expect(title == "In [Swift]")
    }

    @Test func `changes`() async throws {
        var token: String?
        do {
            let page = try await backend.send(FetchChangesRequest(since: token))
            token = page.next
            let isCurrent = !page.more
            #expect(isCurrent && token == "epoch.sealed")
            var copy: [Article.ID: Article] = [:]
            for change in page.changes {
                switch change {
                case .putArticle(let article, _): copy[article.id] = article
                case .deleteArticle(let id, _): copy[id] = nil
                default: break
                }
            }
            #expect(Array(copy.values) == [article])
        }
        let page = try await backend.send(FetchChangesRequest(since: token, tags: ["baking"]))
        let deleted = page.changes.filter { if case .deleteArticle = $0 { true } else { false } }
        #expect(deleted.count == 1)
    }

    @Test func `a stream of changes`() async throws {
        let token = "epoch.sealed"
        var ids: [String] = []
        let request = StreamChangesRequest(FetchChangesRequest(since: token, tags: ["baking"]))
        for try await event in ServerSentEvents(try await backend.stream(request)) {
            ids.append(event.id)
        }
        #expect(ids == ["epoch.sealed-1", "epoch.sealed-2"])
        #expect(backend.received(StreamChangesRequest.self).map(\.changes.tags) == [["baking"]])
    }

    @Test func `a request that an app declares`() async throws {
        let greeting = try await backend.send(FetchGreetingRequest(name: "Ada"))
        #expect(greeting.text == "Hello, Ada!")
    }

    @Test func `the contract`() {
        let lines = Contract.requests.map { "\($0.endpoint.method) \($0.endpoint.template)" }
        #expect(lines.count == Set(lines).count && lines.contains { $0.hasSuffix(" /v1/tags") })
    }

    @Test func `printed and parsed requests`() throws {
        var received: FetchTagsRequest?
        let request = RequestPrinter.print(FetchTagsRequest(limit: 5))
        if let source = RequestSource(request, for: FetchTagsRequest.endpoint) {
            received = try FetchTagsRequest(parsing: source)
        }
        #expect(received == FetchTagsRequest(limit: 5))
        let target = RequestPrinter.target(of: FetchArticlesRequest(tag: "baking", limit: 5))
        #expect(target == "/v1/articles?limit=5&tag=baking")
    }

    @Test func `a request that is rejected`() throws {
        let request = RequestPrinter.print(FetchTagsRequest(limit: 0))
        let source = try #require(RequestSource(request, for: FetchTagsRequest.endpoint))
        var received: FetchTagsRequest?
        var problem: Problem?
        do throws(RequestValidationError) {
            received = try FetchTagsRequest(parsing: source)
        } catch {
            problem = error.problem()
        }
        #expect(received == nil && problem?.kind == .malformedRequest)
    }

    @Test func `descriptions of requests`() {
        do {
            let names = FetchArticleRequest.parameters.list.map(\.name)
            #expect(names == ["id", "fields"])
        }
        let mediaTypes = UpdateArticleRequest.parameters.body?.mediaTypes
        #expect(mediaTypes == ["application/merge-patch+json", "application/json"])
    }
}
