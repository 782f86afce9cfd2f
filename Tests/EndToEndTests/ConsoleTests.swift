import ArticleAPI
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// The console of the binary.
@Suite(.mayBlock) struct ConsoleTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    /// Signs in with a link, and returns the status and the access token.
    private func follow(_ link: String) throws -> (status: Int, token: String?) {
        let parts = link.split(separator: "/console#token=").map(String.init)
        try #require(parts.count == 2 && parts[0].hasPrefix("http://"))
        let address = try #require(
            SocketAddress.resolve(String(parts[0].dropFirst("http://".count))).first)
        let response = try TestClient(address).send(
            .post, "/console/session",
            fields: [.contentType: "application/json", .secFetchSite: "same-origin"],
            body: Array(#"{"token":"\#(parts[1])"}"#.utf8))
        let token = response.text.firstMatch(of: /"accessToken":"([^"]+)"/)?.1
        return (response.status, token.map(String.init))
    }

    @Test func `the first start on a terminal prints a link that signs the operator in once`()
        throws
    {
        let arguments = ["serve", "--database", database, "--listen", "127.0.0.1:0"]
        let terminal = try PseudoTerminal(Program.path(), arguments)
        let screen = try terminal.screen(
            with: "Admin key (shown only once): ", "Console (valid once, for 10 minutes): ",
            "listening on ")
        let link = String(try #require(screen.firstMatch(of: /http:\S+#token=[\w-]{43}/)).0)
        #expect(try follow(link).status == 201)
        #expect(try follow(link).status == 401)
        kill(terminal.processID, SIGTERM)
        #expect(terminal.wait() == 0)
    }

    @Test func `the command prints links to a running server`() throws {
        let served = try RunningServer(database, ["--samples"])
        let first = try Program.run("console", "--database", database)
        let second = try Program.run("console", "--database", database)
        #expect(first.status == 0 && first.output.count == 1 && first.output != second.output)
        let (status, token) = try follow(try #require(first.output.first))
        #expect(status == 201)
        let bearer: HTTPFields = [.authorization: "Bearer \(try #require(token))"]
        let keys = try served.client.send(.get, "/v1/admin/keys", fields: bearer)
        #expect(keys.status == 200)
        #expect(served.stop() == 0)
        let log = "\(served.program.errors.rest())"
        #expect(!log.contains("token=") && !log.contains("bsc_"))
        let none = try Program.run("console", "--database", database)
        #expect(none.status == 69 && "\(none.errors)".contains("no server is running"))
    }

    @Test func `there are no links without a console, or without a loopback address`() throws {
        let served = try RunningServer(database, ["--no-console"])
        let none = try Program.run("console", "--database", database)
        #expect(none.status == 69 && "\(none.errors)".contains("has no console"))
        #expect(try served.client.get("/console").status == 404)
        #expect(served.stop() == 0)
        let open = try RunningServer(database, listen: ["0.0.0.0:0"])
        let elsewhere = try Program.run("console", "--database", database)
        #expect(elsewhere.status == 69 && "\(elsewhere.errors)".contains("loopback address"))
        #expect(open.stop() == 0)
    }

    @Test func `over TLS a browser signs in with a cookie`() throws {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("a"))
        try #require(made.status == 0, "\(made.errors)")
        let served = try RunningServer(
            database,
            ["--tls-certificate", folder.file("a.pem"), "--tls-key", folder.file("a.key")])
        let connection = try RawConnection(served.addresses[0])
        try connection.startTLS(TestTLS("localhost"))
        func ask(_ head: String, _ body: String = "") throws -> ReceivedResponse {
            let lines = [
                head, "Host: localhost", "Sec-Fetch-Site: same-origin",
                "Content-Type: application/json",
            ]
            let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
            try connection.send(lines.joined(separator: "\r\n") + "\r\n\(length)\r\n\(body)")
            return try connection.response(to: head.hasPrefix("GET") ? .get : .post)
        }
        let response = try ask(
            "POST /console/session HTTP/1.1", #"{"key":"\#(RunningServer.adminKey)"}"#)
        #expect(response.status == 201 && response.text.contains(#""mode":"cookie""#))
        let cookie = try #require(response.fields[.setCookie]).prefix { $0 != ";" }
        for _ in 0..<2 {
            let keys = try ask("GET /v1/admin/keys HTTP/1.1\r\nCookie: \(cookie)")
            #expect(keys.status == 200)
        }
        #expect(try ask("GET /v1/admin/keys HTTP/1.1").status == 401)
        let statistics = try ask("GET /v1/admin/statistics HTTP/1.1\r\nCookie: \(cookie)")
        #expect(statistics.text.contains(#""certificates":[{"file":"a.pem","notBefore":"#))
        connection.close()
        #expect(served.stop() == 0)
    }

    @Test func `statistics say how the server is`() async throws {
        let served = try RunningServer(database, ["--samples"])
        for _ in 0..<3 { _ = try served.client.get("/v1/articles") }
        _ = try served.send(.post, "/v1/articles", #"{"title":"One more"}"#)
        let response = try served.send(.get, "/v1/admin/statistics")
        #expect(response.status == 200 && response.fields[.cacheControl] == "no-store")
        let value = try JSONParser.parse(response.body)
        guard case .object(let members) = value else { throw TestFailure("no object") }
        #expect(
            members.map(\.name) == [
                "version", "startedAt", "intervalSeconds", "samples", "current", "database",
                "search", "certificates", "webhooks", "findings",
            ])
        #expect(response.text.contains(#""intervalSeconds":15,"#))
        // A request counts once its response was sent, and a sample may have been taken meanwhile.
        let isCounted = await eventually {
            guard let text = try? served.send(.get, "/v1/admin/statistics").text else {
                return false
            }
            func sum(_ name: String) -> Int {
                text.matches(of: /"([A-Za-z]+)":([0-9]+)/).filter { $0.1 == name }
                    .reduce(0) { $0 + (Int($1.2) ?? 0) }
            }
            return sum("requests") >= 4 && sum("writes") >= 1 && sum("cacheHits") >= 1
        }
        #expect(isCounted)
        #expect(response.text.contains(#""certificates":[],"webhooks":[]"#))
        #expect(try served.client.get("/v1/admin/statistics").status == 401)
        #expect(served.stop() == 0)
    }
}
