import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetTestSupport
import Testing

@testable import DocumentationSamples

/// The listings of the guides, run against a server.
@Suite(.mayBlock) struct GuideSampleTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let baseURL: BaseURL

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples", "--sign-up", "open"])
        baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
    }

    @MainActor @Test func `an app lists and opens articles, also when the server is gone`()
        async throws
    {
        let file = folder.file("articles")
        let app = try ReaderApp(at: baseURL, keepingArticlesIn: file)
        let model = app.reader()
        await model.show(tag: nil)
        let first = try #require(model.list.items.first)
        await model.open(first.id)
        #expect(model.article?.body != nil && model.problem == nil)
        #expect(try await widgetTitles(in: file).first == first.title)
        await model.show(tag: "writing")
        #expect(model.list.items.allSatisfy { $0.tags.contains { $0.name == "writing" } })

        served.program.signal(15)
        #expect(served.program.wait() == 0)
        let later = try ReaderApp(at: baseURL, keepingArticlesIn: file).reader()
        await later.open(first.id)
        #expect(later.article?.body == model.article?.body && later.problem == nil)
        try await becomeActive(app.library)
    }

    @MainActor @Test func `an account is deleted by who knows its password`() async throws {
        let backend = BackendService(configuration: .patient(baseURL))
        try await backend.signUp(name: "mina", password: "a long enough one", device: "Phone")
        let screen = AccountDeletion(backend)
        #expect(await !screen.delete(password: "another one of it"))
        #expect(screen.problem != nil && backend.auth.isSignedIn)
        #expect(await screen.delete(password: "a long enough one"))
        #expect(!backend.auth.isSignedIn)
        await #expect(throws: BackendError.self) {
            try await backend.signIn(name: "mina", password: "a long enough one")
        }
    }
}
