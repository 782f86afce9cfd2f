import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetTesting
import Testing

/// The examples of samples, and of backends in memory.
@Suite struct TestingExamples {
    @Test func `articles and what is stored of them`() {
        let article = Article.sample(title: "Rye bread", tags: [.sample("Baking")])
        let draft = Article.sample(id: .sample(2), title: "Wheat bread", status: .draft)
        #expect(article.slug == "rye-bread" && draft.publishedAt == nil)
        let unsent = CachedArticle.sample(pending: .waiting(until: nil))
        let listed = CachedArticle.sample(.sample(body: nil), knowing: .inLists)
        #expect(unsent.pending != nil && listed.article.body == nil)
    }

    @Test func `unsent writes`() {
        let states: [OutboxEntry.Status] = [
            .waiting(until: nil), .sending, .conflict(theirs: .sample(title: "Wheat bread")),
            .needsConfirmation, .rejected(Problem(.forbidden)),
        ]
        let entries = states.enumerated().map { number, status in
            OutboxEntry.sample(number: number, status: status)
        }
        #expect(OutboxState.sample(entries).conflicts == [entries[2]])
        let entry = OutboxEntry.conflict(
            mine: .sample(title: "Rye bread in two days"), theirs: .sample(title: "Sourdough"))
        #expect([entry].overlay(on: entry.base)?.title == "Rye bread in two days")
    }

    @Test func `replies, events and lists`() {
        let current = BackendReply.sample(Article.sample())
        let copy = BackendReply.sample(
            Article.sample(), source: .cached, age: .seconds(3_600), staleReason: .timedOut)
        #expect(current.item == copy.item && current != copy)
        let event = BackendEvent.sample(.finished(.failure(.timedOut)), of: FetchTagsRequest())
        #expect(event.target == "/v1/tags")
        typealias List = PagedListState<Article, BackendError>
        let first = List.sample(phase: .loading(.refresh))
        let more = List.sample(Article.samples, phase: .loading(.more))
        let failed = List.sample(Article.samples, phase: .failed(.timedOut, .more))
        #expect(first.items.isEmpty && more.items == failed.items)
    }

    @Test func `every error`() {
        let lines = BackendError.samples.map { error in
            let text = error.text(for: .save, in: .english)
            return "\(text.title): \(text.message) \(text.advice)"
        }
        #expect(lines.allSatisfy { $0.hasPrefix("Could not save: ") })
    }

    @Test func `a backend in memory`() async throws {
        let articles = (1...50).map { Article.sample(id: .sample($0), title: "Article \($0)") }
        let many = BackendService.inMemory(.init(articles: articles))
        #expect(try await many.send(FetchArticlesRequest(limit: 100)).items.count == 50)
        let backend = BackendService.inMemory(.samples, signedInAs: .sample())
        let draft = Article.Draft(title: "Sourdough", status: .published)
        let created = try await backend.send(CreateArticleRequest(article: draft))
        let published = FetchArticlesRequest(limit: 1, status: .published)
        let newest = try await backend.send(published).items
        #expect(newest.map(\.id) == [created.id])
        let other = backend.otherDevice(signedInAs: .sample(id: .sample(2), name: "leo"))
        try await other.send(DeleteArticleRequest(id: created.id))
        let left = try await backend.send(published).items
        #expect(left.map(\.id) != [created.id])
    }

    @Test func `an app that was not launched for a test`() {
        let configuration = BackendConfiguration(baseURL: "https://example.org")
        let transport = InProcessTransport { _, _ in throw TransportError.timedOut }
        let backend =
            BackendService.inMemory(.samples, ifLaunchedWith: "-samples")
            ?? BackendService(configuration: configuration, transport: transport)
        #expect(backend.configuration.baseURL == configuration.baseURL)
    }
}
