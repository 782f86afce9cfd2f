import BroadsheetHTTP
import Testing

@Suite struct HTTPOriginTests {
    @Test(arguments: [
        ("http://localhost:8080", "localhost:8080", "http://localhost:8080"),
        ("HTTP://Example.COM", "example.com", "http://example.com"),
        ("http://example.com:80", "example.com", "http://example.com"),
        ("https://example.com:80", "example.com:80", "https://example.com:80"),
        ("https://[::1]:443", "[::1]", "https://[::1]"),
        ("unix:/run/a.sock", "localhost", "unix:/run/a.sock"),
    ])
    func `an origin round-trips`(text: String, authority: String, written: String) throws {
        let origin = try #require(HTTPOrigin(text))
        #expect(origin.authority == authority)
        #expect(origin.description == written)
        #expect(HTTPOrigin(written) == origin)
    }

    @Test(arguments: [
        "", "localhost:8080", "http:", "http://", "ftp://a", "http://a/b", "http://u@a",
        "http://a:99999", "unix:", "http://a b",
    ])
    func `an invalid origin is rejected`(text: String) {
        #expect(HTTPOrigin(text) == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1", true), ("http://127.9.9.9", true), ("http://[::1]", true),
        ("http://localhost", true), ("http://a.localhost", false), ("unix:/a", true),
        ("http://127.0.0.1.example.com", false), ("http://example.com", false),
        ("http://10.0.0.1", false),
    ])
    func `loopback origins are recognised`(text: String, isLoopback: Bool) {
        #expect(HTTPOrigin(text)?.isLoopback == isLoopback)
    }
}
