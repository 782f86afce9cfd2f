import ArticleAPI
import ArticleClient
import Glibc
import HTTP
import TestSupport
import Testing

/// The SDK and `watch` beside a running server.
@Suite struct LiveTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private func publish(_ title: String, on served: Served) throws {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"\#(title)","status":"published"}"#)
        #expect(response.status == 201)
    }

    @Test func `a copy of the SDK follows a server across an upgrade`() async throws {
        let served = try Served(database, ["--samples"])
        let reign = Reign(served, database)
        let baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
        let backend = BackendService(configuration: BackendConfiguration(baseURL: baseURL))
        var copy = ArticleCopy()
        var steps = backend.liveChanges(from: nil).makeAsyncIterator()
        func follow(upTo title: String) async throws {
            while !copy.articles.values.contains(where: { $0.title == title }) {
                let step = try #require(try await steps.next(isolation: #isolation))
                #expect(step != .startAnew)
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
        #expect(Set(copy.articles.keys) == listed)
        #expect(await reign.stop())
    }

    @Test func `watch prints a line for each change`() throws {
        let served = try Served(database, ["--samples"])
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
