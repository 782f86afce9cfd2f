import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct CrossOriginTests {
    private static let app = "https://app.example.org"
    private static let dev = "http://localhost:3000"

    private func run(_ body: (TestServer) async throws -> Void) async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        let configuration = bench.configuration {
            for origin in [Self.app, Self.dev] { _ = $0.crossOrigin.add(origin) }
        }
        let router = try bench.router { routes in
            routes.on(.get, "/hello") { _, _ in TestRoutes.text("hello") }
        }
        try await TestServer.run(router, with: configuration, body)
    }

    private func get(
        _ target: String, from origin: String?, _ server: TestServer
    ) throws -> HTTPFields {
        try server.client.send(
            .get, target, fields: origin.map { [.origin: $0] } ?? [:]
        ).fields
    }

    @Test(arguments: ["/hello", "/values/a", "/nothing"])
    func `pages of a listed origin may read responses, including prepared ones`(target: String)
        async throws
    {
        try await run { server in
            // Responses to different origins come from one cached response.
            for origin in [Self.app, Self.dev, Self.app] {
                let fields = try get(target, from: origin, server)
                #expect(fields.values(of: .accessControlAllowOrigin) == [origin])
                #expect(fields.list(.vary, has: "Origin"))
                for name in [
                    "ETag", "Link", "Location", "Retry-After", "RateLimit", "X-Request-ID",
                ] {
                    #expect(fields.list(.accessControlExposeHeaders, has: name))
                }
                #expect(!fields.all.contains { $0.name == "Access-Control-Allow-Credentials" })
            }
        }
    }

    @Test(arguments: [
        nil, "https://evil.example", "https://app.example.org.evil.example", "null", "*",
        "http://app.example.org", "https://app.example.org:8443", "https://app.example.org/",
        "HTTPS://app.example.org", "https://app.example.or",
    ])
    func `other origins may not, and Vary tells caches`(origin: String?) async throws {
        try await run { server in
            for target in ["/hello", "/values/a", "/values/a"] {
                let fields = try get(target, from: origin, server)
                #expect(!fields.contains(.accessControlAllowOrigin))
                #expect(fields.list(.vary, has: "Origin"))
            }
        }
    }

    @Test func `a 304 also has the fields`() async throws {
        try await run { server in
            for _ in 0..<2 {
                let answer = try server.client.send(
                    .get, "/values/a", fields: [.origin: Self.app, .ifNoneMatch: "\"one\""])
                #expect(answer.status == 304)
                #expect(answer.fields[.accessControlAllowOrigin] == Self.app)
            }
        }
    }

    @Test func `a preflight request is told what may be sent`() async throws {
        try await run { server in
            var fields: HTTPFields = [.origin: Self.app, .accessControlRequestMethod: "PATCH"]
            let answer = try server.client.send(.options, "/hello", fields: fields)
            #expect(answer.status == 204)
            #expect(answer.fields[.accessControlAllowOrigin] == Self.app)
            #expect(answer.fields.list(.accessControlAllowMethods, has: "PATCH"))
            for name in [
                "Authorization", "If-Match", "Idempotency-Key", "Content-Type", "traceparent",
                "tracestate", "baggage", "sentry-trace", "x-requested-with",
            ] {
                #expect(answer.fields.list(.accessControlAllowHeaders, has: name))
            }
            #expect(answer.fields[.accessControlMaxAge] == "7200")
            #expect(answer.fields.list(.vary, has: "Access-Control-Request-Headers"))
            fields[.origin] = "https://evil.example"
            let other = try server.client.send(.options, "/hello", fields: fields)
            #expect(other.fields[.allow] == "GET, HEAD, OPTIONS")
            #expect(!other.fields.contains(.accessControlAllowMethods))
            #expect(!other.fields.contains(.accessControlAllowOrigin))
        }
    }

    @Test func `without listed origins no CORS fields are sent`() async throws {
        try await TestServer.run(TestRoutes.router()) { server in
            let fields = try get("/hello", from: Self.app, server)
            #expect(!fields.contains(.accessControlAllowOrigin) && !fields.contains(.vary))
        }
    }

    @Test(arguments: [
        ("https://app.example.org", true), ("http://localhost:3000", true),
        ("capacitor://localhost", true), ("https://[2001:db8::1]:8443", true), ("*", false),
        ("null", false), ("", false), ("https://*.example.org", false),
        ("https://app.example.org/", false), ("https://App.example.org", false),
        ("https://app.example.org:443", false), ("http://localhost:80", false),
        ("https://user@example.org", false), ("example.org", false), ("https://", false),
        ("https://a b", false), ("https://a\r\nX: y", false), ("https://a:", false),
    ])
    func `an origin must be in the form that browsers send`(text: String, isOne: Bool) {
        var origins = CrossOrigin()
        let isTaken = origins.add(text)
        #expect(isTaken == isOne)
        #expect(origins.isEmpty != isOne)
    }
}
