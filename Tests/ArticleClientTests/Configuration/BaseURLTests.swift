import ArticleClient
import BroadsheetHTTP
import Testing

@Suite struct BaseURLTests {
    @Test(arguments: [
        ("http://localhost:8080", "http://localhost:8080", ""),
        ("https://Example.com/", "https://example.com", ""),
        ("https://example.com/a/b//", "https://example.com", "/a/b"),
        ("unix:/run/a.control", "unix:/run/a.control", ""),
    ])
    func `a base URL has an origin and a path`(text: String, origin: String, path: String) throws {
        let url = try #require(BaseURL(text))
        #expect(url.origin == HTTPOrigin(origin))
        #expect(url.path == path)
        #expect(BaseURL(url.description) == url)
    }

    @Test(arguments: [
        "", "localhost:8080", "/v1", "ftp://a", "http://", "http://a/b?c", "http://a/b c",
        "http://user@a/", "unix:",
    ])
    func `anything else is not a base URL`(text: String) {
        #expect(BaseURL(text) == nil)
    }

    @Test func `the shared configuration has to be set`() async {
        await #expect(processExitsWith: .success) {
            BackendConfiguration.shared = BackendConfiguration(baseURL: "https://example.com")
            precondition(BackendService().configuration.baseURL == "https://example.com")
        }
        await #expect(processExitsWith: .failure) { _ = BackendConfiguration.shared }
    }
}
