import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct RateLimitTests {
    /// A route that identifies accounts by `X-Account`, and one whose responses are cached.
    private static func router(_ bench: CacheFixture) throws -> HTTPRouter {
        bench.change("a", to: "one")
        return try bench.router { routes in
            addShared(to: &routes)
            routes.on(.get, "/hello") { _, _ in TestRoutes.text("hello") }
            routes.protect(.get, "/mine") { request, _ in
                let account = HTTPFieldName("X-Account").flatMap { request.fields[$0] }
                return .admitted(
                    { _, _ in TestRoutes.text(account ?? "anonymous") }, account: account)
            }
        }
    }

    private static func addShared(to routes: inout HTTPRouterBuilder) {
        routes.protect(.get, "/shared") { request, _ in
            let account = HTTPFieldName("X-Account").flatMap { request.fields[$0] }
            return .admitted(
                { _, _ in TestRoutes.text("shared") }, account: account, sharesAddress: true)
        }
    }

    /// A server that trusts `X-Forwarded-For` of its clients.
    private func run(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let bench = CacheFixture()
        let configuration = bench.configuration {
            _ = $0.trustedProxies.add("127.0.0.0/8")
            $0.limits.addressRate = RateLimit("3/3600")
            $0.limits.keyRate = RateLimit("5/3600")
            change(&$0)
        }
        try await TestServer.run(Self.router(bench), with: configuration, body)
    }

    private func get(
        _ target: String, from client: String?, account: String? = nil, _ server: TestServer
    ) throws -> ReceivedResponse {
        var fields = HTTPFields()
        if let client { fields[.xForwardedFor] = client }
        if let account, let name = HTTPFieldName("X-Account") { fields[name] = account }
        return try server.client.send(.get, target, fields: fields)
    }

    @Test(arguments: ["/hello", "/values/a", "/nothing", "/mine"])
    func `requests are limited per address, and responses report the rest`(target: String)
        async throws
    {
        try await run { server in
            for left in [2, 1, 0] {
                let answer = try get(target, from: "203.0.113.9", server)
                #expect(answer.status == (target == "/nothing" ? 404 : 200))
                #expect(answer.fields[.rateLimitPolicy] == #""default";q=3;w=3600"#)
                let told = #""default";r=\#(left);t=\#((3 - left) * 1_200)"#
                #expect(answer.fields[.rateLimit] == told)
            }
            let rejected = try get(target, from: "203.0.113.9", server)
            #expect(rejected.status == 429)
            #expect(rejected.fields[.rateLimit] == #""default";r=0;t=1200"#)
            #expect(rejected.fields[.retryAfter] == "1200")
            #expect(try get(target, from: "203.0.113.10", server).status != 429)
        }
    }

    @Test func `a request for a cached response that is rejected is recorded with its route`()
        async throws
    {
        let records = Exchanges()
        try await run {
            $0.observers = [records]
        } _: { server in
            for _ in 0..<4 { _ = try get("/values/a", from: "203.0.113.9", server) }
        }
        let parts = records.lines.map { $0.split(separator: " ")[2...3].joined(separator: " ") }
        #expect(parts == [200, 200, 200, 429].map { "/values/{name} \($0)" })
    }

    @Test func `a prepared response counts like any other`() async throws {
        try await run { server in
            let request =
                "GET /values/a HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n"
            let connection = try RawConnection(server.address)
            var told: [String] = []
            for _ in 0..<5 {
                try connection.send(request)
                let answer = try connection.response()
                told.append("\(answer.status) \(answer.fields[.rateLimit] ?? "")")
            }
            #expect(
                told == [
                    #"200 "default";r=2;t=1200"#, #"200 "default";r=1;t=2400"#,
                    #"200 "default";r=0;t=3600"#, #"429 "default";r=0;t=1200"#,
                    #"429 "default";r=0;t=1200"#,
                ])
            let rejections = server.server.rejections.first { $0.reason == .addressRate }
            #expect(rejections?.count == 2)
        }
    }

    @Test func `an account has its own limit, whatever its addresses`() async throws {
        try await run { server in
            for number in 0..<5 {
                let answer = try get("/mine", from: "203.0.113.\(number)", account: "a", server)
                #expect(answer.fields[.rateLimit]?.hasPrefix(#""key";r=\#(4 - number);"#) == true)
            }
            let rejected = try get("/mine", from: "203.0.113.77", account: "a", server)
            #expect(rejected.status == 429)
            #expect(try get("/mine", from: "203.0.113.77", account: "b", server).status == 200)
            #expect(try get("/mine", from: "203.0.113.77", server).status == 200)
            #expect(server.server.rejections.first { $0.reason == .keyRate }?.count == 1)
        }
    }

    @Test func `accounts that share their address's limit have one bucket`() async throws {
        try await run { server in
            for number in 0..<5 {
                let answer = try get(
                    "/shared", from: "203.0.113.9", account: "a\(number)", server)
                #expect(answer.fields[.rateLimit]?.hasPrefix(#""key";r=\#(4 - number);"#) == true)
                #expect(answer.fields[.rateLimitPolicy] == #""key";q=5;w=3600"#)
            }
            let rejected = try get("/shared", from: "203.0.113.9", account: "b", server)
            #expect(rejected.status == 429 && rejected.fields[.rateLimit]?.contains("r=0") == true)
            #expect(try get("/shared", from: "203.0.113.10", account: "b", server).status == 200)
            #expect(try get("/mine", from: "203.0.113.9", account: "b", server).status == 200)
            #expect(try get("/hello", from: "203.0.113.9", server).status == 200)
            // Those of this machine are counted one by one.
            for account in ["c", "d"] {
                let answer = try get("/shared", from: nil, account: account, server)
                #expect(answer.fields[.rateLimit]?.hasPrefix(#""key";r=4;"#) == true)
            }
        }
    }

    @Test func `an IPv6 network counts as one`() async throws {
        try await run { server in
            for host in ["2001:db8::1", "2001:db8::ffff:1", "[2001:db8::2]:80"] {
                let answer = try get("/hello", from: host, server)
                #expect(answer.status == 200)
            }
            let beside = try get("/hello", from: "2001:db8::3", server)
            #expect(beside.status == 429)
            let other = try get("/hello", from: "2001:db8:0:1::3", server)
            #expect(other.status == 200)
        }
    }

    @Test func `this machine's own requests are not counted`() async throws {
        try await run { server in
            for _ in 0..<5 {
                let answer = try get("/hello", from: nil, server)
                #expect(answer.status == 200)
                #expect(!answer.fields.contains(.rateLimit))
            }
        }
        // Nor are their forwarding headers trusted, unless they are trusted proxies.
        try await run {
            $0.trustedProxies = NetworkList()
        } _: { server in
            for _ in 0..<5 {
                let answer = try get("/hello", from: "203.0.113.9", server)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `without limits nothing is counted or reported`() async throws {
        try await run {
            $0.limits.addressRate = nil
            $0.limits.keyRate = nil
        } _: { server in
            for _ in 0..<10 {
                let answer = try get("/mine", from: "203.0.113.9", account: "a", server)
                #expect(answer.status == 200 && !answer.fields.contains(.rateLimitPolicy))
            }
        }
    }

    // MARK: Clients named by proxies

    @Test(
        arguments: [
            // The last untrusted node counts; what it claims itself does not.
            (["X-Forwarded-For": "198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            (["X-Forwarded-For": "198.51.100.1, 203.0.113.9, 127.0.0.8"], "203.0.113.9"),
            (["X-Forwarded-For": "127.0.0.7"], "127.0.0.7"),
            (["Forwarded": "for=198.51.100.1, for=\"[2001:db8::9]:99\""], "[2001:db8::9]:99"),
            (["Forwarded": "for=203.0.113.9", "X-Forwarded-For": "203.0.113.9"], "203.0.113.9"),
            // If a node is obfuscated or invalid, the proxy before it counts.
            (["X-Forwarded-For": "203.0.113.9, unknown"], "127.0.0.1"),
            (["Forwarded": "for=203.0.113.9, for"], "127.0.0.1"),
            (["X-Forwarded-For": "203.0.113.9, 127.0.0.8, "], "127.0.0.1"),
            // A proxy did not update one of the two fields.
            (["Forwarded": "for=198.51.100.1", "X-Forwarded-For": "203.0.113.9"], "127.0.0.1"),
        ] as [([String: String], String)])
    func `a trusted proxy names the client`(fields: [String: String], expected: String)
        async throws
    {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/peer") { _, context in TestRoutes.text("\(context.peer)") }
        }
        let configuration = ServerConfiguration.local {
            _ = $0.trustedProxies.add("127.0.0.0/8")
            $0.limits.addressRate = RateLimit("3/3600")
        }
        try await TestServer.run(router, with: configuration) { server in
            var request = HTTPFields()
            for (name, value) in fields { request[try #require(HTTPFieldName(name))] = value }
            let answer = try server.client.send(.get, "/peer", fields: request)
            let peer = answer.text
            #expect(peer == expected || peer.hasPrefix(expected + ":"))
            // No client escapes the limits by its own fields.
            #expect(answer.fields.contains(.rateLimit))
        }
    }
}
