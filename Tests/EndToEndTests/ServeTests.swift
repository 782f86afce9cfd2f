import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@Suite(.mayBlock) struct ServeTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    @Test func `an article is written, read, listed, and survives a restart`() throws {
        let served = try RunningServer(database, createsDatabase: true)
        let made = try served.send(
            .post, "/v1/articles", #"{"title":"Hello","status":"published"}"#)
        #expect(made.status == 201)
        let location = try #require(made.fields[.location])
        #expect(try served.client.get(location).text.contains(#""title":"Hello""#))
        #expect(served.stop() == 0)

        let again = try RunningServer(database)
        #expect(try again.client.get("/v1/articles/hello").status == 200)
        #expect(try again.client.get("/v1/articles").text.contains(#""slug":"hello""#))
        #expect(again.stop() == 0)
    }

    @Test func `samples fill an empty database, and only that`() throws {
        let served = try RunningServer(database, ["--samples"], createsDatabase: true)
        let page = try served.client.get("/v1/articles?limit=100&fields=slug").text
        #expect(page.contains("your-first-request"))
        let article = try served.client.get("/v1/articles/your-first-request")
        #expect(article.status == 200)
        #expect(article.text.hasPrefix(#"{"id":""#))
        let id = article.text.dropFirst(7).prefix(36)
        #expect(try served.send(.delete, "/v1/articles/\(id)").status == 204)
        #expect(served.stop() == 0)

        let again = try RunningServer(database, ["--samples"])
        #expect(try again.client.get("/v1/articles/your-first-request").status == 404)
        #expect(again.stop() == 0)
    }

    @Test func `every listener responds`() throws {
        let socket = folder.file("api.sock")
        let served = try RunningServer(database, listen: ["127.0.0.1:0", "unix:\(socket)"])
        for address in served.addresses {
            #expect(try TestClient(address).get("/readyz").text == "ready\n")
        }
        #expect(served.stop() == 0)
        #expect(access(socket, F_OK) != 0, "the socket's file is gone with the server")
    }

    @Test func `a Unix socket has the mode that the configuration asks for, after upgrades too`()
        async throws
    {
        let (socket, admin) = (folder.file("api.sock"), folder.file("admin.sock"))
        let config = folder.file("broadsheet.json")
        func configure(_ mode: String) throws {
            try write(
                #"{"listen": ["unix:\#(socket)?mode=\#(mode)&group=\#(getegid())"]}"#, to: config)
        }
        try configure("0666")
        let served = try RunningServer(
            Program.start([
                "serve", "--database", database, "--config", config, "--admin-listen",
                "unix:\(admin)?mode=0640",
            ]))
        let reign = ReplacedServer(served, database)
        #expect(try OtherUser.owner(socket).mode == 0o666)
        #expect(try OtherUser.owner(admin).mode == 0o640)
        try configure("0600")
        try reign.upgrade()
        #expect(try TestClient(.unix(socket)).get("/readyz").status == 200)
        #expect(try OtherUser.owner(socket).mode == 0o600)
        #expect(await reign.stop())
        #expect(access(socket, F_OK) != 0)
    }

    @Test func `a mode or group of a socket that cannot be set ends the start`() throws {
        let base = "unix:" + folder.file("api.sock")
        for (words, reason) in [
            ("mode=0999", "not an octal number"), ("group=no-such", "no group \"no-such\""),
            ("owner=root", "mode=OCTAL"),
        ] {
            let program = try Program.start(
                ["serve", "--database", database, "--listen", "\(base)?\(words)"])
            #expect(program.wait() == 64)
            #expect(program.errors.rest().last?.contains(reason) == true)
        }
    }

    @Test(.enabled(if: OtherUser.isAvailable, "only root can act as another user"))
    func `a group that the user is not in is a lack of permission`() throws {
        try OtherUser.give(folder.path)
        let socket = folder.file("api.sock")
        let program = try OtherUser.start([
            "serve", "--database", database, "--listen", "unix:\(socket)?group=0",
        ])
        #expect(program.wait() == 77)
        #expect(program.errors.rest().last?.contains("set group 0: Operation not") == true)
        #expect(access(socket, F_OK) != 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a request in flight is finished before the server stops`(signal: Int32) throws {
        let served = try RunningServer(database)
        let connection = try startedRequest(to: served)
        served.program.signal(signal)
        try served.waitForError("stopping")
        try connection.send(#""Late"}"#)
        let response = try connection.response()
        #expect(response.status == 201)
        #expect(response.fields[.connection] == "close")
        #expect(served.program.wait() == 0)
        let again = try RunningServer(database)
        #expect(try again.send(.get, "/v1/articles/late").status == 200)
        #expect(again.stop() == 0)
    }

    @Test func `a second signal stops the server at once`() throws {
        let served = try RunningServer(database, ["--grace", "3600"])
        let connection = try startedRequest(to: served)
        served.program.signal(SIGTERM)
        try served.waitForError("stopping")
        served.program.signal(SIGTERM)
        #expect(served.program.wait() == 1)
        connection.close()
    }

    @Test func `an acknowledged write survives kill -9`() throws {
        for round in 1...3 {
            let served = try RunningServer(database)
            for number in 1...10 {
                let body = #"{"title":"Round \#(round), \#(number)","status":"published"}"#
                #expect(try served.send(.post, "/v1/articles", body).status == 201)
            }
            served.program.signal(SIGKILL)
            #expect(served.program.wait() == 128 + SIGKILL)
        }
        #expect(try Program.run("check", "--database", database).status == 0)
        let served = try RunningServer(database)
        let page = try served.client.get("/v1/articles?limit=100&fields=title").text
        for round in 1...3 {
            for number in 1...10 { #expect(page.contains(#""Round \#(round), \#(number)""#)) }
        }
        #expect(served.stop() == 0)
    }

    @Test func `the access log is JSON and contains no secrets`() throws {
        let served = try RunningServer(database)
        let response = try served.send(.get, "/v1/articles?token=do-not-log-this")
        #expect(response.status == 400)
        #expect(served.stop() == 0)
        let lines = served.program.errors.rest()
        let line = try #require(lines.first { $0.contains("/v1/articles") })
        #expect(line.hasPrefix("{") && line.contains(#""status":400"#))
        #expect(
            !lines.contains { $0.contains("do-not-log") || $0.contains(RunningServer.adminKey) })
    }

    @Test func `an idle server holds no thread for its loops`() async throws {
        let loops = 64
        let served = try RunningServer(database, ["--loops", "\(loops)"])
        // Some of the loops serve a client, which then stays connected.
        let connections = try (0..<4).map { _ in try RawConnection(served.addresses[0]) }
        for connection in connections {
            try connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try connection.response().status == 200)
        }
        let threads = "/proc/\(served.program.processID)/task"
        let isAtRest = await eventually {
            (1..<loops / 2).contains(ProcessFigures.entries(threads).count)
        }
        #expect(isAtRest)
        #expect(served.stop() == 0)
    }

    // MARK: Support

    /// Sends a `POST` whose body stops in the middle, after the server has requested it.
    private func startedRequest(to served: RunningServer) throws -> RawConnection {
        let connection = try RawConnection(served.addresses[0])
        try connection.send(
            """
            POST /v1/articles HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(RunningServer.adminKey)\r
            Content-Type: application/json\r
            Content-Length: 16\r
            Expect: 100-continue\r
            \r\n
            """)
        #expect(try connection.receive(limit: 25).starts(with: "HTTP/1.1 100 Continue".utf8))
        try connection.send(#"{"title":"#)
        return connection
    }
}
