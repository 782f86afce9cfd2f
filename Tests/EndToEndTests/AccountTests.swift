import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// People and the SDK, with a running server.
@Suite(.mayBlock) struct AccountTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let configuration: BackendConfiguration
    let store = MemoryCredentialStore()

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--sign-up", "open", "--http2-cleartext"])
        configuration = .patient(
            try #require(BaseURL("http://\(served.addresses[0])")))
    }

    private func published(over version: HTTPVersion) async throws -> Article {
        let editor = service(BackendAuth(token: RunningServer.adminKey), over: version)
        return try await editor.send(
            CreateArticleRequest(article: Article.Draft(title: "Bread", status: .published)))
    }

    private func service(_ auth: BackendAuth, over version: HTTPVersion) -> BackendService {
        BackendService(
            configuration: configuration, transport: SocketTransport(.cleartext(version)),
            auth: auth)
    }

    private func service(
        _ store: MemoryCredentialStore, over version: HTTPVersion
    ) throws -> BackendService {
        service(try BackendAuth(store: store), over: version)
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `a user signs up, is renewed, comments, bookmarks and signs out`(
        version: HTTPVersion
    ) async throws {
        let article = try await published(over: version)
        let backend = try service(store, over: version)
        let user = try await backend.signUp(
            name: "mina", password: "correct horse", displayName: "Mina", device: "Phone")
        #expect(user.role == .reader && user.name == "mina")
        #expect(try await backend.send(FetchMeRequest()).id == user.id)
        let first = try #require(store.load())
        #expect(first.account == user.id.description && first.expiresAt != nil)

        // The server does not know this token, and the clock says nothing.
        var worn = first
        (worn.token, worn.expiresAt) = (first.token.dropLast(4) + "AAAA", nil)
        store.save(worn)
        let again = try service(store, over: version)
        let comment = try await again.send(
            CreateCommentRequest(
                articleID: article.id, comment: .init(body: "What about *rye*?")))
        #expect(comment.author?.displayName == "Mina")
        let second = try #require(store.load())
        #expect(second.token != first.token && second.refreshToken != first.refreshToken)

        // By the clock, this one has expired.
        var expired = second
        expired.expiresAt = Timestamp(milliseconds: 1_000)
        store.save(expired)
        let last = try service(store, over: version)
        try await last.send(
            PutBookmarkRequest(articleID: article.id, place: Bookmark.Place(position: 0.5)))
        #expect(try await last.send(FetchBookmarksRequest()).items.map(\.position) == [0.5])
        let third = try #require(store.load())
        #expect(third.token != second.token)

        let sessions = try await last.send(FetchSessionsRequest()).items
        #expect(sessions.map(\.device) == ["Phone"])
        #expect(await last.signOut())
        #expect(store.load() == nil)
        store.save(third)
        let ended = try service(store, over: version)
        await #expect(throws: BackendError.self) { try await ended.send(FetchMeRequest()) }
        #expect(ended.auth.sessionState == .expired(account: user.id.description))
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `a wrong password says so, and a session that is ended elsewhere expires`(
        version: HTTPVersion
    ) async throws {
        let backend = try service(store, over: version)
        try await backend.signUp(name: "mina", password: "correct horse")
        let other = try service(MemoryCredentialStore(), over: version)
        do throws(BackendError) {
            try await other.signIn(name: "mina", password: "wrong horse")
            Issue.record("it was accepted")
        } catch {
            guard case .signInRejected = error else { throw TestFailure("\(error)") }
            #expect(error.localizedDescription == "The name or the password is wrong.")
        }
        try await other.signIn(name: "MINA", password: "correct horse")
        for session in try await other.send(FetchSessionsRequest()).items where !session.isCurrent {
            try await other.send(EndSessionRequest(id: session.id))
        }
        await #expect(throws: BackendError.self) { try await backend.send(FetchMeRequest()) }
        guard case .expired = backend.auth.sessionState else {
            throw TestFailure("\(backend.auth.sessionState)")
        }
        #expect(try await other.send(FetchMeRequest()).name == "mina")
    }
}
