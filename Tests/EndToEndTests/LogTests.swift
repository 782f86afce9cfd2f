import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Glibc
import Testing

/// The log on standard error, and its level.
@Suite(.mayBlock) struct LogTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ level: String, _ more: [String] = []) throws -> RunningServer {
        try RunningServer(
            folder.file("a.db"), ["--log", "json", "--log-level", level] + more)
    }

    @Test func `signals change the log level of a running server`() throws {
        let served = try serve("info")
        for (signal, level) in [
            (SIGUSR2, "warning"), (SIGUSR2, "error"), (SIGUSR2, "error"), (SIGUSR1, "warning"),
        ] {
            served.program.signal(signal)
            try served.waitForError("the log level is \(level)")
        }
        // A response is logged after it was sent; the second one on a connection proves the first.
        let connection = try RawConnection(served.addresses[0])
        for state in ["quiet", "between"] {
            try connection.send("GET /livez?while=\(state) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try connection.response().status == 200)
        }
        served.program.signal(SIGUSR1)
        try served.waitForError("the log level is info")
        #expect(try served.client.get("/livez?while=told").status == 200)
        #expect(served.stop() == 0)
        let rest = served.program.errors.rest()
        #expect(rest.contains { $0.contains("while=told") })
        #expect(!rest.contains { $0.contains("while=quiet") })
    }

    @Test func `the access log says which key or user sent a request, rejected ones included`()
        throws
    {
        let served = try serve("info")
        let created = try Program.run(
            "key", "create", "--name", "app", "--role", "reader", "--database", folder.file("a.db"))
        let key = try #require(created.output.first { $0.hasPrefix("bsk_") }, "\(created)")
        let id = String(key.dropFirst(4).prefix(16))
        let connection = try RawConnection(served.addresses[0])
        let send = { (line: String, key: String?) in
            let credentials = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            try connection.send("\(line) HTTP/1.1\r\nHost: localhost\r\n\(credentials)\r\n")
            return try connection.response().status
        }
        // The third of these is served from the cache.
        for _ in 1...3 { #expect(try send("GET /v1/articles?limit=9", key) == 200) }
        #expect(try send("DELETE /v1/articles/rye", key) == 403)
        #expect(try send("GET /v1/articles?limit=8", String(key.dropLast()) + "~") == 401)
        #expect(try send("GET /v1/articles?limit=7", RunningServer.adminKey) == 200)
        #expect(try send("GET /v1/articles?limit=6", nil) == 200)
        #expect(try served.send(.post, "/v1/users", Self.user).status == 201)
        let signedIn = try served.client.send(
            .post, "/v1/sessions", fields: [.contentType: "application/json"],
            body: Array(#"{"name":"mina","password":"correct horse battery"}"#.utf8))
        #expect(signedIn.status == 201, "\(signedIn.text)")
        let session = try #require(
            JSONSerialization.jsonObject(with: Data(signedIn.body)) as? [String: Any])
        let token = try #require(session["accessToken"] as? String)
        for _ in 1...3 { #expect(try send("GET /v1/articles?limit=5", token) == 200) }
        #expect(served.stop() == 0)
        let lines = served.program.errors.rest()
        let ofKey = lines.filter { $0.contains(#","key":"\#(id)","#) }
        #expect(ofKey.count { $0.contains("limit=9") && $0.contains(#""status":200"#) } == 3)
        #expect(ofKey.contains { $0.contains("DELETE") && $0.contains(#""status":403"#) })
        #expect(ofKey.contains { $0.contains("limit=8") && $0.contains(#""status":401"#) })
        #expect(lines.contains { $0.contains("limit=7") && $0.contains(#","key":"operator","#) })
        let anonymous = try #require(lines.first { $0.contains("limit=6") })
        #expect(!anonymous.contains(#""key""#) && !anonymous.contains(#""user""#))
        let ofUser = lines.filter { $0.contains("limit=5") && $0.contains(#","user":""#) }
        #expect(ofUser.count == 3)
        let secret = key.dropFirst(21)
        #expect(!lines.contains { $0.contains(secret) || $0.contains(token.suffix(20)) })
    }

    private static let user =
        #"{"name":"mina","password":"correct horse battery","role":"reader"}"#

    @Test func `at the error level successful requests are not logged`() throws {
        let served = try serve("error")
        #expect(try served.client.get("/nothing").status == 404)
        #expect(served.stop() == 0)
        #expect(served.program.errors.rest() == [])
    }

    @Test func `a line that could only be written in part is not continued by the next one`()
        async throws
    {
        let (log, address) = (folder.file("log"), SocketAddress.unix(folder.file("s")))
        // The log may grow by 100 bytes, which ends within a line.
        let program = try Shell.start(
            """
            ulimit -f 8192
            head -c 100000000 /dev/zero >"$folder/log" || true
            truncate -s -100 "$folder/log"
            exec "$binary" serve --database "$folder/a.db" --listen "unix:$folder/s" \
            --log json >>"$folder/log" 2>&1
            """, folder: folder.path)
        try #require(await eventually { (try? TestClient(address).get("/livez").status) == 200 })
        #expect(await eventually { (try? bytes(of: log).count) == 8_192 * 512 })
        try #require(truncate(log, 0) == 0)
        #expect(try TestClient(address).get("/livez?behind=it").status == 200)
        #expect(await eventually { (try? read(log).contains("behind=it")) == true })
        program.signal(SIGTERM)
        #expect(program.wait() == 0)
        let lines = try read(log).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "" && lines.last == "", "\(lines)")
        #expect(
            lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(lines.contains { $0.hasPrefix(#"{"droppedLines":"#) })
    }

    @Test func `failed handshakes are logged at the debug level`() throws {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("c"))
        try #require(made.status == 0)
        let served = try serve(
            "debug", ["--tls-certificate", folder.file("c.pem"), "--tls-key", folder.file("c.key")])
        #expect(try TestClient(served.addresses[0]).get("/livez").status == 400)
        #expect(served.stop() == 0)
        #expect(
            served.program.errors.rest().contains { line in
                line.contains(#""handshake":"plainHTTP","reason":"the peer sent plain HTTP"#)
            })
    }

    @Test func `an invalid level is rejected`() throws {
        let ended = try Program.run("serve", "--log-level", "loud")
        #expect(ended.status == 64 && ended.errors.count == 1)
        #expect(ended.errors[0].contains("error, warning, info, debug"))
    }
}
