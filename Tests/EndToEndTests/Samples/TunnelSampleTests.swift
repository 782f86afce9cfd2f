import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import DocumentationSamples

/// The listings of the page about apps that work in a tunnel, run against a server.
@Suite(.timeLimit(.minutes(Patience.minutes))) @MainActor struct TunnelSampleTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let library: OfflineLibrary

    /// The phases of a scene that is in the foreground.
    private static var active: AsyncStream<Bool> { AsyncStream { $0.yield(true) } }

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"))
        let baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
        let auth = BackendAuth()
        try auth.signIn(Credentials(token: RunningServer.adminKey, account: "ada"))
        let backend = BackendService(
            configuration: .patient(baseURL), auth: auth)
        library = try openLibrary(in: folder.path, of: "ada", on: backend)
    }

    @Test func `an edit shows at once, is sent later, and meets another one`() async throws {
        let created = try served.send(
            .post, "/v1/articles",
            #"{"title":"Bread","body":"Dough.","tags":["writing"],"status":"published"}"#)
        let place = try #require(created.fields[.location])
        let id = try Article(mapping: created.body).id
        let list = TunnelList(library)
        let first = Task { [library] in try? await follow(library, phases: Self.active) }
        #expect(await eventually { list.rows == ["Bread"] })
        first.cancel()
        await first.value
        let known = try #require(try await library.store.loadArticle(id))
        #expect(known.article.body == "Dough.")
        try await retitle(known.article, "Rye bread", in: library)
        #expect(await eventually { list.rows == ["Rye bread (not sent yet)"] })
        #expect(try served.client.get(place).text.contains(#""title":"Bread""#))
        #expect(try served.send(.patch, place, #"{"title":"White bread"}"#).status == 200)
        let second = Task { [library] in try? await follow(library, phases: Self.active) }
        networkChanged(library)
        for await state in library.outbox.states where !state.conflicts.isEmpty { break }
        var titles: [String?] = []
        try await decideConflicts(of: library) { base, mine, theirs in
            titles = [base?.title, mine?.title, theirs?.title]
            return true
        }
        #expect(titles == ["Bread", "Rye bread", "White bread"])
        #expect(await eventually { list.rows == ["Rye bread"] })
        second.cancel()
        await second.value
        try await comment(on: id, "Rye?", at: 0.4, in: library)
        let comments = try await library.store.loadComments(on: id)
        #expect(comments.map(\.comment.body) == ["Rye?"])
        #expect(try served.client.get(place).text.contains(#""title":"Rye bread""#))
    }
}
