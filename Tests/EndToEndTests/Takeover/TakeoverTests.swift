import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Upgrades of a running server: no request fails, and no write is lost.
@Suite(.mayBlock) struct TakeoverTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private func expectEverything(of load: BackgroundLoad, from client: TestClient) throws {
        #expect(load.failures.isEmpty, "\(load.failures.prefix(3))")
        #expect(!load.written.isEmpty)
        for slug in load.written {
            let got = try client.send(
                .get, "/v1/articles/\(slug)?fields=slug",
                fields: [.authorization: "Bearer \(RunningServer.adminKey)"])
            #expect(got.status == 200, "\(slug) is lost")
        }
    }

    @Test func `under load no request fails, and no connection is lost`() async throws {
        let socket = "unix:" + folder.file("s.sock")
        let served = try RunningServer(
            database, listen: ["127.0.0.1:0", socket], ["--log", "off"])
        let server = ReplacedServer(served, database)
        let addresses = served.addresses
        let turn = Counter()
        let load = BackgroundLoad(readers: 3, writers: 3) {
            try RawConnection(addresses[turn.next() % 2])
        }
        // This connection is idle from the first server to the last.
        let idle = try RawConnection(addresses[0])
        try idle.send(Self.health)
        #expect(try idle.response().status == 200)
        for _ in 0..<3 {
            #expect(load.goOn(for: 50))
            try server.upgrade()
        }
        #expect(load.goOn(for: 50))
        try idle.send(Self.health)
        #expect(try idle.response().status == 200)
        load.stop()
        #expect(load.connections == 6)
        try expectEverything(of: load, from: served.client)
        try expectEverything(of: load, from: TestClient(addresses[1]))
        #expect(await server.stop())
        var status = stat()
        #expect(lstat(folder.file("s.sock"), &status) != 0)
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    private static let health = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `with TLS each connection ends with a response, and no request fails`()
        async throws
    {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("c"))
        try #require(made.status == 0)
        let served = try RunningServer(
            database,
            [
                "--tls-certificate", folder.file("c.pem"), "--tls-key", folder.file("c.key"),
                "--redirect-http", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "off",
            ])
        let server = ReplacedServer(served, database)
        func address(behind start: String) throws -> SocketAddress {
            let line = try #require(served.program.output.next())
            try #require(line.hasPrefix(start))
            let text = line.dropFirst(start.count).prefix { $0 != "/" }
            return try #require(try SocketAddress.resolve(String(text)).first)
        }
        let redirect = try address(behind: "redirecting from http://")
        let admin = try address(behind: "metrics on http://")
        let address = served.addresses[0]
        let load = BackgroundLoad(readers: 2, writers: 2) {
            let connection = try RawConnection(address)
            try connection.startTLS(TestTLS("localhost"))
            return connection
        }
        let scraper = try RawConnection(admin)
        for _ in 0..<2 {
            #expect(load.goOn(for: 30))
            try server.upgrade()
            try scraper.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try scraper.response().status == 200)
            #expect(try TestClient(redirect).get("/x").status == 308)
        }
        #expect(load.goOn(for: 30))
        load.stop()
        #expect(load.failures.isEmpty, "\(load.failures.prefix(3))")
        let counted = try Program.run("check", "--database", database)
        #expect(counted.output.contains { $0.contains("(\(load.written.count) articles,") })
        #expect(await server.stop())
    }

    @Test func `the next server learns a proxy's client again`() async throws {
        let program = try Program.start(
            [
                "serve", "--database", database, "--proxy-protocol", "127.0.0.1:0",
                "--trusted-proxy", "127.0.0.1", "--rate-limit", "off", "--key-rate-limit", "off",
                "--log", "off",
            ], environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
        let served = try RunningServer(program)
        let server = ReplacedServer(served, database)
        let address = served.addresses[0]
        let header = TestProxyHeader.v4([203, 0, 113, 9], values: TestProxyHeader.ssl)
        let load = BackgroundLoad(readers: 2, writers: 2) {
            let connection = try RawConnection(address)
            try connection.send(header)
            return connection
        }
        // This connection has not sent anything yet, so it is handed over.
        let silent = try RawConnection(address)
        for _ in 0..<2 {
            #expect(load.goOn(for: 30))
            try server.upgrade()
        }
        #expect(load.goOn(for: 30))
        load.stop()
        #expect(load.failures.isEmpty, "\(load.failures.prefix(3))")
        try silent.send(header + Array(Self.health.utf8))
        #expect(try silent.response().status == 200)
        #expect(await server.stop())
    }

    @Test func `a request in flight is finished first, and its connection is kept`() async throws {
        let served = try RunningServer(database, ["--grace", "60"])
        let server = ReplacedServer(served, database)
        let slow = try RawConnection(served.addresses[0])
        let body = #"{"title":"Slow"}"#
        try slow.send(
            "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(RunningServer.adminKey)\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(5))")
        // The response to a second client proves that the bytes of the first one have been read.
        #expect(try served.client.get("/readyz").status == 200)
        let upgrade = try server.beginUpgrade()
        try served.waitForError("handing over to process")
        try slow.send(String(body.dropFirst(5)))
        #expect(try slow.response(to: .post).status == 201)
        try server.wait(for: upgrade)
        try slow.send(
            "GET /v1/articles?status=draft HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(RunningServer.adminKey)\r\n\r\n")
        let list = try slow.response()
        #expect(list.status == 200 && list.text.contains("Slow"))
        #expect(await server.stop())
    }

    @Test func `a command can wait for the next server`() async throws {
        let served = try RunningServer(database)
        let server = ReplacedServer(served, database)
        try server.upgrade()
        let made = try Program.run(
            "key", "create", "--role", "reader", "--database", database)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try Program.run("health", "--database", database).status == 0)
        #expect(await server.stop())
    }

    @Test func `without a running server, a takeover is an ordinary start`() throws {
        let served = try RunningServer(database, ["--take-over"])
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `a new address is opened, and one that is no longer configured is closed`()
        async throws
    {
        let old = try RunningServer(
            database, listen: ["127.0.0.1:0", "unix:" + folder.file("old.sock")])
        let new = try RunningServer(
            database, listen: ["127.0.0.1:0", "unix:" + folder.file("new.sock")], ["--take-over"])
        #expect(old.program.wait() == 0)
        #expect(new.addresses[0] == old.addresses[0])
        #expect(try TestClient(new.addresses[1]).get("/readyz").status == 200)
        #expect(throws: TestFailure.self) { try TestClient(old.addresses[1]).get("/readyz") }
        #expect(new.stop() == 0)
    }
}
