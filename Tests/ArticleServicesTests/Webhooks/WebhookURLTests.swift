import ArticleServices
import Testing

@Suite struct WebhookURLTests {
    @Test(arguments: [
        ("https://hooks.example.org", "hooks.example.org"),
        ("HTTPS://Hooks.Example.org:443/a?b=c", "hooks.example.org"),
        ("https://hooks.example.org:8443/a", "hooks.example.org:8443"),
        ("https://192.0.2.7/?key=a,b", "192.0.2.7"),
        ("http://127.0.0.1:8080/a", "127.0.0.1:8080"),
        ("http://[::1]:8080", "[::1]:8080"),
        ("http://localhost?a", "localhost"),
    ])
    func `https is accepted everywhere, and http on this machine`(
        text: String, host: String
    ) throws {
        #expect(try WebhookURL(text).host == host)
    }

    @Test(arguments: [
        ("", WebhookURL.Fault.scheme), ("hooks.example.org/a", .scheme),
        ("ftp://hooks.example.org", .scheme), ("unix:/run/hooks", .scheme),
        ("http://hooks.example.org/", .unencrypted), ("http://127.0.0.1.example.org", .unencrypted),
        ("http://192.168.0.1/", .unencrypted), ("http://a.localhost/", .unencrypted),
        ("https://user@hooks.example.org", .userInfo),
        ("http://localhost:80@example.org/", .userInfo),
        ("https://hooks.example.org/#a", .fragment), ("https://hooks.example.org#", .fragment),
        ("https://", .invalid), ("https:///a", .invalid), ("https://a b/", .invalid),
        ("https://hooks.example.org/ä", .invalid), ("https://hooks.example.org/a b", .invalid),
        ("https://hooks.example.org:70000/", .invalid),
        ("https://hooks.example.org/\r\nHost: a", .invalid),
        ("https://hooks.example.org/" + String(repeating: "a", count: 2_000), .tooLong),
    ])
    func `others are rejected`(text: String, fault: WebhookURL.Fault) {
        #expect(throws: fault) { try WebhookURL(text) }
    }

    @Test func `equal URLs are equal, however they are written`() throws {
        let url = try WebhookURL("https://hooks.example.org/?a")
        #expect(try url == WebhookURL("HTTPS://HOOKS.example.org:443?a"))
        #expect(try url != WebhookURL("https://hooks.example.org/?b"))
    }
}
