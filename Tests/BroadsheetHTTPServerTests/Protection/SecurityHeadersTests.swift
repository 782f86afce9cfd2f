import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct ProtectiveFieldsTests {
    @Test func `every response with a body forbids sniffing its type`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        let router = try bench.router { routes in
            routes.on(.get, "/hello") { _, _ in TestRoutes.text("hello") }
        }
        try await TestServer.run(router, with: bench.configuration()) { server in
            // The second response comes from the cache, and is sent by other code.
            for target in ["/hello", "/values/a", "/values/a", "/nothing"] {
                let answer = try server.client.get(target)
                #expect(answer.fields.values(of: .xContentTypeOptions) == ["nosniff"])
                #expect(answer.fields.values(of: .referrerPolicy) == ["no-referrer"])
                #expect(!answer.fields.contains(.contentSecurityPolicy))
            }
            let rejected = try RawConnection(server.address)
            try rejected.send("nonsense\r\n\r\n")
            #expect(try rejected.response().fields[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test(arguments: [
        ("text/html", true), ("Text/HTML; charset=utf-8", true), ("application/xhtml+xml", true),
        ("image/svg+xml", true), ("text/plain", false), ("application/json", false),
        ("application/xml", false), ("image/png", false),
    ])
    func `a page may do almost nothing`(type: String, isPage: Bool) async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/page") { _, _ in
                HTTPResponse(.ok, fields: [.contentType: type], body: .bytes([60]))
            }
        }
        try await TestServer.run(router) { server in
            let policy = try server.client.get("/page").fields[.contentSecurityPolicy]
            #expect((policy != nil) == isPage)
            if isPage { #expect(policy?.hasPrefix("default-src 'none'; ") == true) }
        }
    }

    @Test func `a page with its own policy keeps it`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/page") { _, _ in
                HTTPResponse(
                    .ok,
                    fields: [
                        .contentType: "text/html", .contentSecurityPolicy: "default-src 'self'",
                    ],
                    body: .bytes([60]))
            }
        }
        try await TestServer.run(router) { server in
            let fields = try server.client.get("/page").fields
            #expect(fields.values(of: .contentSecurityPolicy) == ["default-src 'self'"])
        }
    }

    // MARK: One field is one line

    private static let attacks = [
        "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\0b", "\r\n\r\nHTTP/1.1 200 OK",
        "a\r\n\r\n<script>", "\u{7F}",
    ]

    @Test(arguments: attacks)
    func `no handler can send a field with a line ending in it`(value: String) async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/evil") { _, _ in
                var fields: HTTPFields = [.link: value]
                fields[.location] = value
                fields.append(.etag, value)
                fields.set(.vary, to: value)
                if let name = HTTPFieldName(value) { fields.append(name, "a") }
                var others = HTTPFields()
                others.append(.age, value)
                fields.append(contentsOf: others)
                return HTTPResponse(.ok, fields: fields, body: .bytes([111, 107]))
            }
        }
        try await TestServer.run(router) { server in
            let connection = try RawConnection(server.address)
            try connection.send("GET /evil HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            let text = String(decoding: try connection.rest(), as: UTF8.self)
            let names = text.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" } }
            let rejection = "500 Internal Server Error"
            let expected: Set<Substring> = [
                "Content-Length", "Content-Type", "Date", "X-Request-ID", "Connection",
                "X-Content-Type-Options", "Referrer-Policy", Substring(rejection),
            ]
            #expect(Set(names) == expected)
            #expect(text.hasPrefix("HTTP/1.1 \(rejection)\r\n") && !text.hasSuffix("ok"))
        }
    }

    @Test func `echoed client input cannot inject fields either`() async throws {
        try await TestServer.run(TestRoutes.router()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                "GET /hello HTTP/1.1\r\nHost: t\r\nX-Request-ID: a\tb<c>\r\n"
                    + "Connection: close\r\n\r\n")
            let text = String(decoding: try connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200") && !text.contains("a\tb"))
        }
    }
}
