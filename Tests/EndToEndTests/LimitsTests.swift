import ArticleAPI
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@Suite(.mayBlock) struct LimitsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ more: String...) throws -> RunningServer {
        try RunningServer(
            folder.file("a.db"), ["--samples", "--trusted-proxy", "127.0.0.1"] + more)
    }

    private func from(_ address: String) -> HTTPFields { [.xForwardedFor: address] }

    @Test func `limits are on by default, and report the remaining quota to clients of a proxy`()
        throws
    {
        let served = try serve()
        let first = try served.client.send(.get, "/v1/articles", fields: from("203.0.113.9"))
        #expect(first.fields[.rateLimit] == #""default";r=11999;t=1"#)
        #expect(first.fields[.rateLimitPolicy] == #""default";q=12000;w=60"#)
        let keyed = try served.send(.get, "/v1/articles")
        #expect(keyed.fields[.rateLimit]?.hasPrefix(#""key";r=59999;"#) == true)
        #expect(try !served.client.get("/v1/articles").fields.contains(.rateLimit))
    }

    @Test func `an address has so many sign-ups an hour, however a proxy writes it`() throws {
        let served = try serve("--sign-ups-per-hour", "3", "--sign-up", "open")
        var number = 0
        func signUp(_ field: HTTPFieldName, _ client: String) throws -> Int {
            number += 1
            let json = #"{"name":"reader\#(number)","password":"correct horse"}"#
            return try served.client.send(
                .post, "/v1/users",
                fields: [
                    .contentType: "application/json", .xForwardedProto: "https", field: client,
                ], body: Array(json.utf8)
            ).status
        }
        #expect(try signUp(.xForwardedFor, "198.51.100.23:123") == 201)
        #expect(try signUp(.xForwardedFor, #"" x, "198.51.100.23:4711""#) == 201)
        #expect(try signUp(.forwarded, #"for="_x, for=198.51.100.23:80;proto=https"#) == 403)
        #expect(try signUp(.forwarded, "for=198.51.100.23;proto=https") == 201)
        #expect(try signUp(.xForwardedFor, "198.51.100.23") == 429)
        #expect(try signUp(.xForwardedFor, #""[2001:db8::1]:80""#) == 201)
        #expect(served.stop() == 0)
    }

    @Test func `readers of one address share a limit, also for cached responses`() throws {
        let served = try serve("--key-rate-limit", "6/600", "--sign-up", "open")
        func rest(_ name: String, _ token: String, from address: String) throws -> String {
            let response = try served.client.send(
                .get, "/v1/articles",
                fields: [
                    .xForwardedFor: address, .xForwardedProto: "https",
                    .authorization: "Bearer \(token)",
                ])
            let rest = response.fields[.rateLimit]?.split(separator: ";").prefix(2)
            return "\(name) \(response.status) \(rest?.joined(separator: ";") ?? "")"
        }
        func token(_ name: String, role: String? = nil) throws -> String {
            let json = #"{"name":"\#(name)","password":"correct horse""#
            let made =
                try role.map { try served.send(.post, "/v1/users", json + #","role":"\#($0)"}"#) }
                ?? served.client.send(
                    .post, "/v1/users", fields: [.contentType: "application/json"],
                    body: Array("\(json)}".utf8))
            try #require(made.status == 201, "\(made.text)")
            let session = try served.client.send(
                .post, "/v1/sessions", fields: [.contentType: "application/json"],
                body: Array("\(json)}".utf8))
            return try UserSession(mapping: session.body).accessToken
        }
        let (mina, bora, editor) = try (
            token("mina"), token("bora"), token("cho", role: "editor")
        )
        var lines: [String] = []
        for _ in 1...3 {
            lines.append(try rest("mina", mina, from: "203.0.113.9"))
            lines.append(try rest("bora", bora, from: "203.0.113.9"))
        }
        #expect(lines.last == #"bora 200 "key";r=0"#)
        #expect(try rest("mina", mina, from: "203.0.113.9") == #"mina 429 "key";r=0"#)
        #expect(try rest("mina", mina, from: "203.0.113.10") == #"mina 200 "key";r=5"#)
        for left in [5, 4] {
            let address = "203.0.113.\(left)"
            #expect(try rest("cho", editor, from: address) == #"cho 200 "key";r=\#(left)"#)
        }
    }

    @Test func `above the limit the response is a problem with a retry delay`() throws {
        let served = try serve("--rate-limit", "2/600", "--key-rate-limit", "1/600")
        for _ in 0..<2 {
            let response = try served.client.send(
                .get, "/v1/articles", fields: from("203.0.113.9"))
            #expect(response.status == 200)
        }
        let rejected = try served.client.send(.get, "/v1/articles", fields: from("203.0.113.9"))
        #expect(rejected.status == 429)
        #expect(rejected.fields[.contentType] == "application/problem+json")
        #expect(rejected.text.contains("/problems/too-many-requests"))
        #expect(rejected.fields[.retryAfter] == "300")
        #expect(try served.send(.get, "/v1/articles").status == 200)
        #expect(try served.send(.get, "/v1/articles").status == 429)
        try served.waitForError(#""peer":"203.0.113.9""#)
        let off = try RunningServer(
            folder.file("b.db"), ["--rate-limit", "off", "--trusted-proxy", "127.0.0.1"])
        let free = try off.client.send(.get, "/v1/articles", fields: from("203.0.113.9"))
        #expect(!free.fields.contains(.rateLimit))
    }

    @Test func `expensive requests cost more, unless they are cached`() throws {
        let served = try serve("--rate-limit", "100/3600", "--key-rate-limit", "60/3600")
        func left(_ target: String, key: Bool = false) throws -> String {
            let response =
                try key
                ? served.send(.get, target)
                : served.client.send(.get, target, fields: from("203.0.113.9"))
            let rest = response.fields[.rateLimit]?.split(separator: ";").dropFirst().first
            return "\(response.status) \(rest ?? "")"
        }
        #expect(try left("/v1/articles") == "200 r=99")
        #expect(try left("/v1/articles?count=exact") == "200 r=49")
        // The response is cached, so a repeated request costs nothing extra.
        #expect(try left("/v1/articles?count=exact") == "200 r=48")
        #expect(try left("/v1/articles?fields=body&limit=100") == "200 r=27")
        #expect(try left("/v1/articles?language=en&sort=createdAt") == "200 r=21")
        // One token is taken for the request; the rest of its cost is not available.
        #expect(try left("/v1/articles?count=exact&limit=3") == "429 r=0")
        #expect(try left("/v1/articles?limit=3") == "200 r=19")
        #expect(try left("/v1/articles?count=exact", key: true) == "200 r=10")
        let rejected = try served.send(.get, "/v1/articles?count=exact")
        #expect(rejected.status == 429 && rejected.text.contains("counts as 50"))
        // 40 of the 50 tokens are missing, and one is added per minute.
        #expect((2_300...2_400).contains(Int(rejected.fields[.retryAfter] ?? "") ?? 0))
    }

    @Test(arguments: [
        ["--response-memory", "5"],
        ["--rate-limit", "5"], ["--key-rate-limit", "0/1"], ["--cors-origin", "*"],
        ["--cors-origin", "https://a.example/"], ["--proxy-protocol", "127.0.0.1:0"],
        ["--body-memory", "5"], ["--body-memory", "4000000"], ["--host", "http://a.example"],
    ])
    func `invalid or contradictory options fail the start`(arguments: [String]) throws {
        let program = try Program.start(["serve", "--database", folder.file("a.db")] + arguments)
        #expect(program.errors.rest().count == 1)
        #expect(program.wait() == EX_USAGE)
    }

    @Test func `a key is checked before the body is requested`() throws {
        let served = try serve()
        let connection = try RawConnection(served.addresses[0])
        let head =
            "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        try connection.send(head + "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n")
        let rejected = try connection.response(to: .post)
        #expect(rejected.status == 401)
        #expect(rejected.fields[.wwwAuthenticate] == #"Bearer realm="broadsheet""#)
        let other = try RawConnection(served.addresses[0])
        try other.send(
            head + "Authorization: Bearer \(RunningServer.adminKey)\r\nExpect: 100-continue\r\n"
                + "Content-Length: 2\r\n\r\n")
        let asked = try other.receive(limit: 12)
        #expect(String(decoding: asked, as: UTF8.self) == "HTTP/1.1 100")
    }

    @Test func `PROXY protocol is supported on its own addresses`() throws {
        let program = try Program.start(
            [
                "serve", "--database", folder.file("a.db"), "--proxy-protocol", "127.0.0.1:0",
                "--trusted-proxy", "127.0.0.1",
            ], environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
        let served = try RunningServer(program)
        let connection = try RawConnection(served.addresses[0])
        try connection.send(TestProxyHeader.v4([203, 0, 113, 9]))
        try connection.send("GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let response = try connection.response()
        #expect(response.status == 200)
        #expect(response.fields.contains(.rateLimit))
        // Credentials over plain HTTP, because the proxy does not report TLS.
        try connection.send(
            "GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(RunningServer.adminKey)\r\n\r\n")
        #expect(try connection.response().status == 403)
        try served.waitForError(#""peer":"203.0.113.9:4711""#)
    }

    @Test func `a page of an allowed origin can edit`() throws {
        let served = try serve("--cors-origin", "https://app.example.org")
        let preflight = try served.client.send(
            .options, "/v1/articles/first",
            fields: [
                .origin: "https://app.example.org", .accessControlRequestMethod: "PATCH",
            ])
        #expect(preflight.status == 204)
        for _ in 0..<2 {
            let response = try served.client.send(
                .get, "/v1/articles?limit=1", fields: [.origin: "https://app.example.org"])
            #expect(
                response.fields[.accessControlAllowOrigin] == "https://app.example.org")
            #expect(response.fields.list(.vary, has: "Authorization"))
            #expect(response.fields.list(.vary, has: "Origin"))
        }
    }

    /// Neither requests without a key nor those that take no body use any memory for bodies: 600
    /// that withhold their bodies do not keep others from writing.
    @Test func `rejected bodies do not keep an editor from writing`() throws {
        let served = try serve("--body-memory", "4194304")
        let heads = [
            "GET /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n",
            "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: 65536\r\n\r\n",
            "GET /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3145728\r\n\r\n",
        ]
        let crowd = try (0..<600).map { number in
            let connection = try RawConnection(served.addresses[0])
            try connection.send(heads[number % heads.count])
            _ = connection.sendSome([UInt8](repeating: 0x20, count: 60_000))
            return connection
        }
        for _ in 0..<20 {
            let made = try served.send(.post, "/v1/articles", #"{"title":"Written"}"#)
            #expect(made.status == 201, "\(made.text)")
        }
        let large = #"{"title":"Large","body":"\#(String(repeating: "x", count: 100_000))"}"#
        #expect(try served.send(.post, "/v1/articles", large).status == 201)
        for connection in crowd { connection.close() }
    }

    @Test func `pages that use another host name for this machine read nothing`() throws {
        let served = try serve("--admin-listen", "127.0.0.1:0", "--host", "articles.example")
        let line = try #require(served.program.output.next())
        let metrics = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
        let admin = try #require(try SocketAddress.resolve(String(metrics)).first)
        for (address, target) in [(served.addresses[0], "/v1/articles"), (admin, "/metrics")] {
            let connection = try RawConnection(address)
            for (host, status) in [
                ("localhost", 200), ("articles.example", 200), ("evil.example", 421),
                ("127.0.0.1", 200),
            ] {
                try connection.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let response = try connection.response()
                #expect(response.status == status)
                #expect(response.text.contains("/problems/misdirected-request") == (status == 421))
            }
        }
        #expect(served.stop() == 0)
    }

    /// Responses from the cache count against the key's limit, and a key still requires TLS.
    @Test func `limits and secrecy of a reader's key also apply to cached responses`() throws {
        let served = try serve("--key-rate-limit", "4/600")
        let made = try Program.run(
            "key", "create", "--role", "reader", "--database", folder.file("a.db"))
        let key = try #require(made.output.first)
        let connection = try RawConnection(served.addresses[0])
        func ask(_ fields: String) throws -> ReceivedResponse {
            try connection.send(
                "GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            return try connection.response()
        }
        let mine = "Authorization: Bearer \(key)\r\n"
        #expect(try ask("").status == 200)
        for left in [3, 2] {
            let response = try ask(mine)
            #expect(response.status == 200)
            #expect(response.fields[.rateLimit]?.hasPrefix(#""key";r=\#(left);"#) == true)
        }
        let exposed = try ask(mine + "X-Forwarded-For: 203.0.113.9\r\n")
        #expect(exposed.status == 403)
        #expect(exposed.text.contains("/problems/insecure-transport"))
        for _ in 0..<2 { #expect(try ask(mine).status == 200) }
        #expect(try ask(mine).status == 429)
        #expect(try ask("").status == 200)
    }

    // MARK: Overload

    /// Excess requests are rejected at once, and then the server has recovered.
    @Test func `overload is shed, and the server recovers`() throws {
        let served = try serve(
            "--queue-depth", "1", "--readers", "1", "--cache-bytes", "0", "--loops", "1")
        let flood = try (0..<48).map { _ in try RawConnection(served.addresses[0]) }
        var shed = 0
        var good = 0
        // The number of concurrent requests depends on the machine.
        for round in 0..<100 where round < 10 || shed == 0 {
            for (number, connection) in flood.enumerated() {
                let target = "/v1/articles?limit=100&tag=t\(round * 100 + number)"
                try connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            for connection in flood {
                let response = try connection.response()
                if response.status == 503 {
                    shed += 1
                    #expect(response.fields[.retryAfter] == "1")
                } else {
                    #expect(response.status == 200)
                    good += 1
                }
            }
        }
        #expect(shed > 0 && good > 0, "\(shed) shed, \(good) good")
        for _ in 0..<20 {
            #expect(try served.client.get("/v1/articles?limit=1").status == 200)
        }
    }
}
