import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite(.mayBlock) struct FeedServingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func feed(_ served: RunningServer) throws -> String {
        // The client's `Host` is localhost, without a port.
        let response = try served.client.get("/feeds/articles.atom?limit=1")
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test func `URLs are those of the listener, with its actual port`() throws {
        let served = try RunningServer(folder.file("a.db"), ["--samples"])
        let server = "http://\(served.addresses[0])"
        let text = try feed(served)
        #expect(text.contains("<id>\(server)/feeds/articles.atom</id>"))
        #expect(text.contains("href=\"\(server)/v1/articles/"))
        #expect(!text.contains("localhost/"))
        #expect(served.stop() == 0)
    }

    @Test func `URLs are those that were configured`() throws {
        let served = try RunningServer(
            folder.file("a.db"),
            [
                "--samples", "--public-url", "https://api.example.org/x/", "--article-url",
                "https://example.org/{slug}/", "--feed-title", "Salt & pepper",
            ])
        let text = try feed(served)
        #expect(text.contains("<id>https://api.example.org/x/feeds/articles.atom</id>"))
        #expect(text.contains("<link rel=\"alternate\" href=\"https://example.org/"))
        #expect(text.contains("<title>Salt &amp; pepper</title>"))
        #expect(served.stop() == 0)
    }

    @Test func `an invalid URL stops the start with one line`() throws {
        let run = try Program.run(
            "serve", "--database", folder.file("a.db"), "--listen", "127.0.0.1:0", "--public-url",
            "example.org")
        #expect(run.status == 64 && run.errors.count == 1 && run.output.isEmpty)
        #expect(run.errors.first?.contains("--public-url: \"example.org\" is not an") == true)
    }
}
