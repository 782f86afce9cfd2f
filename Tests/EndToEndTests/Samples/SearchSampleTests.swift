import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import DocumentationSamples

/// The listings of the page about searching, run against a stub.
@Suite(.timeLimit(.minutes(Patience.minutes))) @MainActor struct SearchSampleTests {
    let folder: TemporaryFolder
    let library: OfflineLibrary
    let isOffline = Lock(false)
    private let time = Timestamp(milliseconds: 1_767_225_600_000)

    init() throws {
        folder = try TemporaryFolder()
        let auth = BackendAuth()
        try auth.signIn(Credentials(token: "key", account: "ada"))
        var environment = ClientEnvironment.system
        environment.sleep = { _ in try Task.checkCancellation() }
        let bread = Self.article("Rye bread", at: time)
        let backend = BackendService.stub(auth: auth, environment: environment) {
            [isOffline] routes in
            routes.on(SearchArticlesRequest.self) { request in
                if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
                let title = [SearchPiece(text: "Rye", isMatch: true), SearchPiece(text: " bread")]
                let hit = SearchHit(
                    article: bread, title: title, excerpt: [SearchPiece(text: "Dark.")])
                return SearchPage(items: request.query == "rye" ? [hit] : [])
            }
        }
        library = try openLibrary(in: folder.path, of: "ada", on: backend)
    }

    private static func article(
        _ title: String, at time: Timestamp, status: Article.Status = .published
    ) -> Article {
        Article(
            id: Article.ID(at: time), slug: "bread", title: title, summary: "Dark.", body: nil,
            language: "en", status: status, publishedAt: status == .published ? time : nil,
            createdAt: time, updatedAt: time, wordCount: 1, readingMinutes: 1)
    }

    @Test func `titles and excerpts are shown with their matches`() async throws {
        let lines = try await searchLines("rye", on: library.backend)
        #expect(lines == ["[Rye] bread: Dark."])
    }

    @Test func `a field searches the backend and, without a network, the device`() async throws {
        let field = SearchField(library)
        await field.type("rye")
        #expect(field.found.items.map(\.article.title) == ["Rye bread"] && !field.isOffline)
        await field.type("oats")
        #expect(field.found.items.isEmpty && !field.isOffline)
        isOffline.withLock { $0 = true }
        await field.type("bread")
        #expect(field.found.items.map(\.article.title) == ["Rye bread"] && field.isOffline)
        await field.type("oats")
        #expect(field.found.items.isEmpty && field.isOffline)
        #expect(try await field.submit("bread") == ["bread"])
        #expect(try await field.submit("rye") == ["rye", "bread"])
    }

    @Test func `drafts are searched on the device`() async throws {
        let articles = [
            Self.article("Plan for bread", at: time, status: .draft),
            Self.article("Rye bread", at: time),
        ]
        try await library.store.merge(
            articles.map { .facts(ModelFacts($0, knowing: .inLists, seenAt: time)) })
        #expect(try await searchDrafts("bread", in: library).map(\.title) == ["Plan for bread"])
    }
}
