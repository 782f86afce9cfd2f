import BroadsheetHTTP
import Testing

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("https://hooks.example.org", "https://hooks.example.org/"),
        ("HTTPS://Hooks.Example.org:443/a?b=c", "https://hooks.example.org/a?b=c"),
        ("http://hooks.example.org:8443/a", "http://hooks.example.org:8443/a"),
        ("https://192.0.2.7/?key=a,b", "https://192.0.2.7/?key=a,b"),
        ("http://localhost?a", "http://localhost/?a"),
        ("https://a.example/?b@c://d", "https://a.example/?b@c://d"),
    ])
    func `equal URLs are equal, however they are written`(text: String, written: String) throws {
        let url = try HTTPURL(text)
        #expect(url.description == written)
        #expect(try url == HTTPURL(written))
        #expect(try url != HTTPURL(written + "?"))
    }

    @Test(arguments: [
        ("", HTTPURL.Fault.scheme), ("hooks.example.org/a", .scheme),
        ("ftp://hooks.example.org", .scheme), ("unix:/run/hooks", .scheme),
        ("https://user@hooks.example.org", .userInfo),
        ("http://localhost:80@example.org/", .userInfo),
        ("https://hooks.example.org/#a", .fragment), ("https://hooks.example.org#", .fragment),
        ("https://", .invalid), ("https:///a", .invalid), ("https://a b/", .invalid),
        ("https://hooks.example.org/ä", .invalid), ("https://hooks.example.org/a b", .invalid),
        ("https://hooks.example.org:70000/", .invalid),
        ("https://hooks.example.org/\r\nHost: a", .invalid),
        ("https://hooks.example.org/" + String(repeating: "a", count: 2_000), .tooLong),
    ])
    func `others are rejected`(text: String, fault: HTTPURL.Fault) {
        #expect(throws: fault) { try HTTPURL(text) }
    }
}
