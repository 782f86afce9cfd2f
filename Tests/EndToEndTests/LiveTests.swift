import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@testable import DocumentationSamples

/// The SDK and `watch` beside a running server.
@Suite(.mayBlock) struct LiveTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private func publish(_ title: String, on served: RunningServer) throws {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"\#(title)","status":"published"}"#)
        #expect(response.status == 201)
    }

    /// The SDK over one version.
    private func backend(_ served: RunningServer, over version: HTTPVersion) throws
        -> BackendService
    {
        let baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
        return BackendService(
            configuration: .patient(baseURL),
            transport: SocketTransport(.cleartext(version)))
    }

    /// The title of the first article that is published from now on.
    private static func nextTitle(
        _ backend: BackendService, from token: String, _ following: Counter
    ) async throws -> String? {
        for try await step in backend.liveChanges(from: token) {
            guard case .page(let page) = step else { continue }
            for case .putArticle(let article, _) in page.changes { return article.title }
            if !page.more { following.next() }
        }
        return nil
    }

    @Test func `a hundred and one change streams share a connection with other requests`()
        async throws
    {
        let served = try RunningServer(
            database,
            ["--http2-cleartext", "--http2-streams", "150", "--admin-listen", "127.0.0.1:0"])
        let line = try #require(served.program.output.next())
        let admin = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
        let metrics = try #require(try SocketAddress.resolve(String(admin)).first)
        let backend = try backend(served, over: .http2)
        let token = try await backend.send(FetchChangesRequest(since: FetchChangesRequest.now)).next
        let following = Counter()
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0...100 {
                group.addTask { try await Self.nextTitle(backend, from: token, following) }
            }
            #expect(await eventually { following.value >= 101 })
            #expect(try await backend.send(FetchArticlesRequest()).items == [])
            #expect(try connectionCount(metrics) == 1)
            try publish("News", on: served)
            for try await title in group { #expect(title == "News") }
        }
    }

    /// The number of connections of clients, as the server counts them.
    private func connectionCount(_ address: SocketAddress) throws -> Int? {
        let page = try TestClient(address).get("/metrics").text
        let line = page.split(separator: "\n").first { $0.hasPrefix("broadsheet_connections ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `a copy of the SDK follows a server across an upgrade`(
        version: HTTPVersion
    ) async throws {
        let served = try RunningServer(database, ["--samples", "--http2-cleartext"])
        let reign = ReplacedServer(served, database)
        let backend = try backend(served, over: version)
        var copy = Titles()
        var steps = backend.liveChanges(from: nil).makeAsyncIterator()
        func follow(upTo title: String) async throws {
            while !copy.titles.values.contains(title) {
                let step = try #require(try await steps.next(isolation: #isolation))
                #expect(step != .restart)
                copy.apply(step)
            }
        }
        while !copy.isComplete {
            copy.apply(try #require(try await steps.next(isolation: #isolation)))
        }
        try publish("First", on: served)
        try await follow(upTo: "First")
        try reign.upgrade()
        try publish("Second", on: served)
        try await follow(upTo: "Second")
        var listed: Set<Article.ID> = []
        for try await article in backend.pages(of: FetchArticlesRequest()).items {
            listed.insert(article.id)
        }
        #expect(Set(copy.titles.keys) == listed)
        #expect(await reign.stop())
    }

    @Test func `watch prints a line for each change`() throws {
        let served = try RunningServer(database, ["--samples"])
        let token = try ChangePage<Article>(
            mapping: served.client.get("/v1/changes?since=now").body
        ).next
        try publish("Before", on: served)
        let watch = try Program.start(
            [
                "watch", "--server", "http://\(served.addresses[0])", "--since", token, "--json",
            ], environment: ["XDG_CONFIG_HOME": folder.file("config")])
        #expect(watch.output.next()?.contains(#""title":"Before""#) == true)
        try publish("After", on: served)
        let line = try #require(watch.output.next())
        #expect(line.contains(#""title":"After""#) && line.contains(#""token":""#))
        // Other signals may be blocked in children of a test.
        watch.signal(SIGKILL)
        watch.wait()
        #expect(watch.errors.rest() == [])
    }
}
