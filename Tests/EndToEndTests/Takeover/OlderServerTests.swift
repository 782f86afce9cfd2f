import Glibc
import HTTP
import Platform
import Sockets
import TestSupport
import Testing

/// Commands with an older server, which has the requests of admins on the control socket alone,
/// below `/control/`.
@Suite(.mayBlock) struct OlderServerTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    /// Acts as the older server while the body runs, and returns the requests that it received.
    ///
    /// - Parameter copy: the database that it serves.
    private func serve(
        copy: [UInt8] = [], _ body: () throws -> Void
    ) async throws -> [String] {
        let requests = Lock<[String]>([])
        try await ScriptedServer.run(on: .unix(database + ".control")) { peer, _ in
            while let request = try await peer.request() {
                let line = "\(request.method) \(request.target)"
                requests.withLock { $0.append(line) }
                switch (line, request.fields[.upgrade]) {
                case ("GET /control/state", "broadsheet-upgrade/1"):
                    return try await peer.send(Self.switching + "serving 4711\n")
                case ("GET /control/state", "broadsheet-takeover/1"):
                    try await peer.send(Self.switching + "offer 1 1\nend\n")
                    // It ends as soon as the new process is ready.
                    return try await peer.beginning()
                case ("GET /control/state", nil):
                    try await peer.respond(#"{"sequence":7,"articles":3}"#)
                case ("POST /control/imports", nil):
                    try await peer.send(
                        "HTTP/1.1 422 Unprocessable Content\r\n"
                            + "Content-Type: application/problem+json\r\n"
                            + "Content-Length: \(Self.rejection.utf8.count)\r\n\r\n"
                            + Self.rejection)
                case ("POST /control/backups", nil):
                    try await peer.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.sqlite3\r\n"
                            + "Content-Length: \(copy.count)\r\n\r\n")
                    try await peer.send(copy)
                default:
                    try await peer.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                }
            }
        } _: { _ in
            try body()
        }
        return requests.withLock { $0 }
    }

    private static let switching = "HTTP/1.1 101 Switching Protocols\r\n\r\n"

    @Test func `its health is known`() async throws {
        let requests = try await serve {
            let health = try Program.run("health", "--database", database)
            #expect(health.status == 0 && health.output == ["ready"], "\(health.errors)")
        }
        #expect(requests.first == "GET /v1/admin/state" && requests.contains("GET /control/state"))
    }

    @Test func `it is backed up`() async throws {
        let original = folder.file("original.db")
        #expect(try Served(original, ["--samples"]).stop() == 0)
        let image = try bytes(of: original)
        let requests = try await serve(copy: image) {
            let backup = folder.file("b.db")
            let made = try Program.run("backup", backup, "--database", database)
            #expect(made.errors == ["\(backup): 17 articles, 17 revisions"])
        }
        #expect(requests.last == "POST /control/backups")
    }

    private static let rejection = """
        {"type":"/problems/invalid-values","title":"Values are not valid","status":422,\
        "detail":"/items/0/formerSlugs is not an attribute that can be set here",\
        "errors":[{"detail":"is not an attribute that can be set here",\
        "pointer":"/items/0/formerSlugs"}]}
        """

    @Test func `what it does not know cannot be imported`() async throws {
        try write(
            #"{"db": [{"meta": {}, "data": {"posts": [{"id": "1", "title": "T", "slug": "t"}]}}]}"#,
            to: folder.file("blog.json"))
        try write(#"[{"from": "/old", "to": "/t"}]"#, to: folder.file("redirects.json"))
        #expect(try Served(database).stop() == 0)
        // The lock is what a command first sees of a server.
        let lock = open(database, O_RDONLY)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let requests = try await serve {
            let run = try Program.run(
                "import", folder.file("blog.json"), "--database", database)
            #expect(run.status == 65)
            #expect(
                run.errors == [
                    "broadsheet: the running server has an older version (/items/0/formerSlugs "
                        + "is not an attribute that can be set here): upgrade or stop it"
                ])
        }
        #expect(requests.last == "POST /control/imports")
    }

    @Test func `it is upgraded`() async throws {
        _ = try await serve {
            let upgraded = try Program.run("upgrade", "--database", database)
            #expect(upgraded.output == ["process 4711 serves"], "\(upgraded.errors)")
        }
    }

    @Test func `a new server takes over from it`() async throws {
        let requests = try await serve {
            let new = try Served(database, ["--take-over"])
            #expect(try new.client.get("/readyz").status == 200)
            #expect(new.stop() == 0)
        }
        #expect(requests == ["GET /control/state"])
    }

    @Test func `a server that has neither path is not a Broadsheet`() async throws {
        try await ScriptedServer.run(on: .unix(database + ".control")) { peer, _ in
            while try await peer.request() != nil {
                try await peer.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
        } _: { _ in
            let health = try Program.run("health", "--database", database)
            #expect(health.status == 69 && health.output == [])
        }
    }
}
