import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import ArticleDatabase
import BroadsheetHTTPClient
import BroadsheetHTTPServer
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleImportExport
@testable import ArticleServiceCore
@testable import ArticleServices

/// Another Broadsheet, which has the server as a source.
struct SourceFollower: Follower {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let backend: Backend
    private let service: BackendService
    private let id: ContentSource.ID

    init(clock: CutClock) async throws {
        folder = try TemporaryFolder()
        store = try await SQLiteStore.openNew(folder.file("a.db"))
        backend = try await Backend(
            store: store, file: store, system: .clock { clock.time }, log: { Issue.record("\($0)") }
        )
        let router = try backend.controlRouter()
        service = BackendService(
            configuration: BackendConfiguration(baseURL: "http://localhost"),
            transport: InProcessTransport { request, _ in await router.respond(to: request) },
            cache: nil)
        id = try await service.send(
            CreateSourceRequest(
                ContentSource.Draft(url: "https://upstream.example/", publishes: true))
        ).id
    }

    func close() async { await store.close() }

    func follow(_ server: CutServer) async throws {
        let environment = OutboundEnvironment(
            agent: "test",
            exchange: { request, _, _ throws(HTTPClientError) in
                do throws(TransportError) { return try await server.respond(to: request) } catch {
                    throw .timedOut
                }
            },
            timeout: .seconds(Patience.seconds),
            system: .clock(randomFraction: 0.5) { server.clock.time })
        try await service.send(PollSourceRequest(id: id))
        await backend.sourcePoller(in: environment) { notice in
            if !server.isOffline { Issue.record("\(notice)") }
        }.pollDueSources()
    }

    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws {
        let fields = FrontMatter.articleFields
        let listed = try await server.articles(fields: fields.names)
        let taken = try await service.send(
            FetchArticlesRequest(limit: 100, fields: fields)
        ).items.filter { $0.source?.name == "upstream.example" }
        #expect(
            Set(taken.map { Outline($0, id: $0.source?.url ?? "") })
                == Set(
                    listed.map {
                        Outline($0, id: "https://upstream.example/v1/articles/\($0.id)")
                    }),
            comment)
    }

    private struct Outline: Hashable {
        let id: String
        let title: String
        let body: String?
        let tags: [String]

        init(_ article: Article, id: String) {
            self.id = id
            (title, body) = (article.title, article.body)
            tags = article.tags.map(\.key)
        }
    }
}
