import ArticleAPI
import ArticleAccounts
import ArticleAdminAPI
import ArticleClient
import ArticleDatabase
import ArticleOffline
import ArticleResources
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleServiceCore

/// A real backend on a socket, two editors with an account each, and a clock that the test sets.
struct TwoEditorBackend: Sendable {
    static let accounts = ["ada", "ben"]

    let clock: ManualClock
    let address: SocketAddress
    let baseURL: BaseURL
    /// Somebody who edits without an outbox.
    let editor: BackendService
    private let keys: [String: String]
    /// The keys that act for users with these names, who read and comment.
    private let readers: [String: String]

    /// Runs the server during the body.
    static func run(_ body: (TwoEditorBackend) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let clock = ManualClock()
        var keys: [String: String] = [:]
        for name in accounts + ["somebody else"] {
            let key = APIKey(name: name, role: .editor, at: clock.time, system: .real)
            try await store.createKey(key.record)
            keys[name] = key.text
        }
        var readers: [String: String] = [:]
        for name in accounts {
            let user = UserRecord(
                id: User.ID(at: clock.time), name: name, nameKey: name, displayName: name,
                role: "reader", passwordHash: nil, createdAt: clock.time)
            try await store.createUser(user, using: nil, at: clock.time)
            let key = APIKey(
                name: "of \(name)", role: .reader, owner: user.id, at: clock.time, system: .real)
            try await store.createKey(key.record)
            readers[name] = key.text
        }
        let backend = try await Backend(
            store: store, file: store, system: .clock { clock.time }, log: { _ in })
        try await TestServer.run(backend.router()) { server in
            async let _: Void = backend.streams.run()
            let url = try #require(BaseURL("http://\(server.address)"))
            let editor = BackendService(
                configuration: configuration(url),
                auth: BackendAuth(token: keys["somebody else"]))
            try await body(
                TwoEditorBackend(
                    clock: clock, address: server.address, baseURL: url, editor: editor,
                    keys: keys, readers: readers))
        }
        await store.close()
    }

    /// A configuration whose times a busy machine does not exceed.
    var configuration: BackendConfiguration { Self.configuration(baseURL) }

    private static func configuration(_ url: BaseURL) -> BackendConfiguration {
        var configuration = BackendConfiguration(baseURL: url)
        configuration.timeout = .seconds(Patience.seconds)
        configuration.stallTimeout = .seconds(Patience.seconds)
        return configuration
    }

    func credentials(of account: String) -> Credentials {
        Credentials(token: keys[account] ?? "", account: account)
    }

    func credentials(ofReader account: String) -> Credentials {
        Credentials(token: readers[account] ?? "", account: account)
    }

    /// An article that readers see.
    func published() async throws -> Article {
        try await editor.send(
            CreateArticleRequest(
                article: Article.Draft(title: "Bread", body: "Knead.", status: .published)))
    }

    /// The comments on an article, the first one first.
    func comments(on id: Article.ID) async throws -> [ArticleComment] {
        try await editor.send(
            FetchCommentsRequest(articleID: id), options: .init(freshness: .reloaded)
        ).items
    }

    /// The bookmarks of a reader.
    func bookmarks(of account: String) async throws -> [Bookmark] {
        let service = BackendService(
            configuration: configuration, auth: BackendAuth(token: readers[account]))
        return try await service.send(FetchBookmarksRequest()).items
    }

    /// An article of the backend that nobody has edited yet.
    func article(_ title: String = "Bread") async throws -> Article {
        try await editor.send(
            CreateArticleRequest(
                article: Article.Draft(title: title, summary: "Flour", body: "Knead.")))
    }

    /// The article as the backend has it; `nil` if there is none.
    func current(_ id: Article.ID) async throws -> Article? {
        do throws(BackendError) {
            return try await editor.send(
                FetchArticleRequest(key: .id(id)), options: .init(freshness: .reloaded))
        } catch {
            guard error.problem?.kind == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the authors of the revisions, the first one first.
    func editors(of id: Article.ID) async throws -> [String] {
        let page = try await editor.send(FetchRevisionsRequest(id: id, limit: 100))
        return page.items.sorted { $0.number < $1.number }.map { $0.editor ?? "" }
    }

    /// Edits the article as somebody else.
    func edit(_ id: Article.ID, _ changes: Article.Changes) async throws {
        try await editor.send(UpdateArticleRequest(id: id, changes: changes))
    }
}

/// An app on a device: a store in a file, an outbox, and a network that the test controls.
final class Device: Sendable {
    let folder: TemporaryFolder
    let network: TestNetwork
    let auth: BackendAuth
    let backend: BackendService
    let store: ModelStore
    let outbox: Outbox
    private let running = Lock<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - room: the backend.
    ///   - account: whose device it is.
    ///   - auth: the credentials; `nil` for those of the account.
    ///   - network: the network; `nil` for one that works.
    ///   - folder: where the files are; `nil` for a new one.
    ///   - width: the most articles whose writes are sent at the same time.
    ///   - types: types of requests of the app's own.
    init(
        _ room: TwoEditorBackend, of account: String = "ada", auth: BackendAuth? = nil,
        network: TestNetwork = TestNetwork(), in folder: TemporaryFolder? = nil, width: Int = 4,
        sending types: [any RepeatableRequest.Type] = []
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.network = network
        self.auth =
            try auth
            ?? BackendAuth(
                store: MemoryCredentialStore(room.credentials(of: account)), refresh: nil)
        let environment = room.clock.environment
        backend = BackendService(
            configuration: room.configuration, transport: network,
            auth: self.auth)
        store = try ModelStore(
            .file(self.folder.file("models"), of: account), environment: environment)
        outbox = Outbox(
            store: store, backend: backend, sending: types, environment: environment, width: width)
    }

    /// Begins to send.
    func start() {
        running.withLock { $0 = Task { [outbox] in await outbox.run() } }
    }

    /// Ends the process, as far as that is possible in a test: what is stored remains.
    func stop() async {
        let task = running.withLock { $0.take() }
        task?.cancel()
        await task?.value
    }

    /// Waits until the outbox is as wanted.
    @discardableResult
    func wait(
        _ what: String, until condition: @escaping @Sendable (OutboxState) -> Bool
    ) async throws -> OutboxState {
        let found = await withTaskGroup(of: OutboxState?.self) { group in
            group.addTask { [outbox] in
                for await state in outbox.states where condition(state) { return state }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(Patience.seconds))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let found else { throw TestFailure("the outbox never was as wanted: \(what)") }
        return found
    }

    /// Waits until there is nothing to send.
    func waitUntilEmpty() async throws {
        try await wait("empty") { $0.entries.isEmpty }
    }

    /// Returns the article as the user sees it.
    func shown(_ id: Article.ID) async throws -> CachedArticle? {
        try await store.loadArticle(id)
    }

    /// Puts an article into the store, as a response would.
    func see(_ article: Article) async throws {
        try await store.merge([
            .facts(ModelFacts(article, knowing: .inArticles, seenAt: store.time()))
        ])
    }
}
