import Glibc
import HTTP
import Sockets
import TestSupport
import Testing

@Suite struct LimitsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ more: String...) throws -> Served {
        try Served(folder.file("a.db"), ["--samples", "--trusted-proxy", "127.0.0.1"] + more)
    }

    private func from(_ address: String) -> HTTPFields { [.xForwardedFor: address] }

    @Test func `limits are on by default, and tell a proxy's client what is left`() throws {
        let served = try serve()
        let told = try served.client.send(.get, "/v1/articles", fields: from("203.0.113.9"))
        #expect(told.fields[.rateLimit] == #""default";r=11999;t=1"#)
        #expect(told.fields[.rateLimitPolicy] == #""default";q=12000;w=60"#)
        let keyed = try served.send(.get, "/v1/articles")
        #expect(keyed.fields[.rateLimit]?.hasPrefix(#""key";r=59999;"#) == true)
        #expect(try !served.client.get("/v1/articles").fields.contains(.rateLimit))
    }

    @Test func `beyond the limit the answer is a problem that says when to come back`() throws {
        let served = try serve("--rate-limit", "2/600", "--key-rate-limit", "1/600")
        for _ in 0..<2 {
            let answer = try served.client.send(
                .get, "/v1/articles", fields: from("203.0.113.9"))
            #expect(answer.status == 200)
        }
        let refused = try served.client.send(.get, "/v1/articles", fields: from("203.0.113.9"))
        #expect(refused.status == 429)
        #expect(refused.fields[.contentType] == "application/problem+json")
        #expect(refused.text.contains("/problems/too-many-requests"))
        #expect(refused.fields[.retryAfter] == "300")
        #expect(try served.send(.get, "/v1/articles").status == 200)
        #expect(try served.send(.get, "/v1/articles").status == 429)
        try served.waitForError(#""peer":"203.0.113.9""#)
        let off = try Served(
            folder.file("b.db"), ["--rate-limit", "off", "--trusted-proxy", "127.0.0.1"])
        let free = try off.client.send(.get, "/v1/articles", fields: from("203.0.113.9"))
        #expect(!free.fields.contains(.rateLimit))
    }

    @Test func `what takes long counts for more, unless it is at hand`() throws {
        let served = try serve("--rate-limit", "100/3600", "--key-rate-limit", "60/3600")
        func left(_ target: String, key: Bool = false) throws -> String {
            let answer =
                try key
                ? served.send(.get, target)
                : served.client.send(.get, target, fields: from("203.0.113.9"))
            let rest = answer.fields[.rateLimit]?.split(separator: ";").dropFirst().first
            return "\(answer.status) \(rest ?? "")"
        }
        #expect(try left("/v1/articles") == "200 r=99")
        #expect(try left("/v1/articles?count=exact") == "200 r=49")
        // It is kept: whoever asks again costs nobody anything.
        #expect(try left("/v1/articles?count=exact") == "200 r=48")
        #expect(try left("/v1/articles?fields=body&limit=100") == "200 r=27")
        #expect(try left("/v1/articles?language=en&sort=createdAt") == "200 r=21")
        // One is taken for coming; what it would cost in all is not there.
        #expect(try left("/v1/articles?count=exact&limit=3") == "429 r=0")
        #expect(try left("/v1/articles?limit=3") == "200 r=19")
        #expect(try left("/v1/articles?count=exact", key: true) == "200 r=10")
        let refused = try served.send(.get, "/v1/articles?count=exact")
        #expect(refused.status == 429 && refused.text.contains("counts as 50"))
        // 40 of the 50 are missing, at one a minute.
        #expect((2_300...2_400).contains(Int(refused.fields[.retryAfter] ?? "") ?? 0))
    }

    @Test(arguments: [
        ["--response-memory", "5"],
        ["--rate-limit", "5"], ["--key-rate-limit", "0/1"], ["--cors-origin", "*"],
        ["--cors-origin", "https://a.example/"], ["--proxy-protocol", "127.0.0.1:0"],
        ["--body-memory", "5"], ["--body-memory", "4000000"], ["--host", "http://a.example"],
    ])
    func `what cannot be meant stops the start`(arguments: [String]) throws {
        let program = try Program.start(["serve", "--database", folder.file("a.db")] + arguments)
        #expect(program.errors.rest().count == 1)
        #expect(program.wait() == EX_USAGE)
    }

    @Test func `a key is looked at before the body is asked for`() throws {
        let served = try serve()
        let connection = try RawConnection(served.addresses[0])
        let head =
            "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        try connection.send(head + "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n")
        let refused = try connection.response(to: .post)
        #expect(refused.status == 401)
        #expect(refused.fields[.wwwAuthenticate] == #"Bearer realm="broadsheet""#)
        let other = try RawConnection(served.addresses[0])
        try other.send(
            head + "Authorization: Bearer \(Served.adminKey)\r\nExpect: 100-continue\r\n"
                + "Content-Length: 2\r\n\r\n")
        let asked = try other.receive(atMost: 12)
        #expect(String(decoding: asked, as: UTF8.self) == "HTTP/1.1 100")
    }

    @Test func `PROXY protocol is spoken where it is asked for`() throws {
        let program = try Program.start(
            [
                "serve", "--database", folder.file("a.db"), "--proxy-protocol", "127.0.0.1:0",
                "--trusted-proxy", "127.0.0.1",
            ], environment: ["BROADSHEET_ADMIN_KEY": Served.adminKey])
        let served = try Served(program)
        let connection = try RawConnection(served.addresses[0])
        try connection.send(TestProxyHeader.v4([203, 0, 113, 9]))
        try connection.send("GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try connection.response()
        #expect(answer.status == 200)
        #expect(answer.fields.contains(.rateLimit))
        // Credentials of a client that came in the clear, as the proxy does not say otherwise.
        try connection.send(
            "GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(Served.adminKey)\r\n\r\n")
        #expect(try connection.response().status == 403)
        try served.waitForError(#""peer":"203.0.113.9:4711""#)
    }

    @Test func `a page of a named origin can edit`() throws {
        let served = try serve("--cors-origin", "https://app.example.org")
        let preflight = try served.client.send(
            .options, "/v1/articles/first",
            fields: [
                .origin: "https://app.example.org", .accessControlRequestMethod: "PATCH",
            ])
        #expect(preflight.status == 204)
        for _ in 0..<2 {
            let answer = try served.client.send(
                .get, "/v1/articles?limit=1", fields: [.origin: "https://app.example.org"])
            #expect(
                answer.fields[.accessControlAllowOrigin] == "https://app.example.org")
            #expect(answer.fields.list(.vary, has: "Authorization"))
            #expect(answer.fields.list(.vary, has: "Origin"))
        }
    }

    /// Neither those without a key nor requests that take no body get any of the room that bodies
    /// have: 600 that hold theirs back keep nobody from writing.
    @Test func `bodies that are not taken keep no editor from writing`() throws {
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

    @Test func `pages that call this machine by their own name read nothing`() throws {
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
                let answer = try connection.response()
                #expect(answer.status == status)
                #expect(answer.text.contains("/problems/misdirected-request") == (status == 421))
            }
        }
        #expect(served.stop() == 0)
    }

    /// What is kept for everybody counts against the key, and needs a way that nobody reads.
    @Test func `a reader's key has its limits and its secrecy for what is kept, too`() throws {
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
            let answer = try ask(mine)
            #expect(answer.status == 200)
            #expect(answer.fields[.rateLimit]?.hasPrefix(#""key";r=\#(left);"#) == true)
        }
        let exposed = try ask(mine + "X-Forwarded-For: 203.0.113.9\r\n")
        #expect(exposed.status == 403)
        #expect(exposed.text.contains("/problems/insecure-transport"))
        for _ in 0..<2 { #expect(try ask(mine).status == 200) }
        #expect(try ask(mine).status == 429)
        #expect(try ask("").status == 200)
    }

    // MARK: Overload

    /// More than can be done is shed at once, and a second behind it nothing is left of it.
    @Test func `overload is shed, and gone within a second of its end`() throws {
        let served = try serve(
            "--queue-depth", "1", "--readers", "1", "--cache-bytes", "0", "--loops", "1")
        let flood = try (0..<48).map { _ in try RawConnection(served.addresses[0]) }
        var shed = 0
        var good = 0
        // How many come at a time is the machine's to say.
        for round in 0..<100 where round < 10 || shed == 0 {
            for (number, connection) in flood.enumerated() {
                let target = "/v1/articles?limit=100&tag=t\(round * 100 + number)"
                try connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            for connection in flood {
                let answer = try connection.response()
                if answer.status == 503 {
                    shed += 1
                    #expect(answer.fields[.retryAfter] == "1")
                } else {
                    #expect(answer.status == 200)
                    good += 1
                }
            }
        }
        #expect(shed > 0 && good > 0, "\(shed) shed, \(good) good")
        let end = ContinuousClock.now
        for _ in 0..<20 {
            #expect(try served.client.get("/v1/articles?limit=1").status == 200)
        }
        #expect(end.duration(to: .now) < .seconds(1))
    }
}
