import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Commands with an older server.
@Suite(.mayBlock) struct OlderServerTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    /// Acts as the older server while the body runs, and returns the requests that it received.
    private func serve(_ body: () throws -> Void) async throws -> [String] {
        let requests = Lock<[String]>([])
        try await ScriptedServer.run(on: .unix(database + ".control")) { peer, _ in
            while let request = try await peer.request() {
                let line = "\(request.method) \(request.target)"
                requests.withLock { $0.append(line) }
                switch (line, request.fields[.upgrade]) {
                case ("GET /v1/admin/state", "broadsheet-upgrade/1"):
                    return try await peer.send(Self.switching + "serving 4711\n")
                case ("GET /v1/admin/state", "broadsheet-takeover/1"):
                    try await peer.send(Self.switching + "offer 1 1\nend\n")
                    // It ends as soon as the new process is ready.
                    return try await peer.beginning()
                case ("GET /v1/admin/state", nil):
                    try await peer.respond(#"{"sequence":7,"articles":3}"#)
                case ("POST /v1/admin/imports", nil):
                    try await peer.send(
                        "HTTP/1.1 422 Unprocessable Content\r\n"
                            + "Content-Type: application/problem+json\r\n"
                            + "Content-Length: \(Self.rejection.utf8.count)\r\n\r\n"
                            + Self.rejection)
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
        #expect(try RunningServer(database).stop() == 0)
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
        #expect(requests.last == "POST /v1/admin/imports")
    }

    @Test func `it is upgraded`() async throws {
        _ = try await serve {
            let upgraded = try Program.run("upgrade", "--database", database)
            #expect(upgraded.output == ["process 4711 serves"], "\(upgraded.errors)")
        }
    }

    @Test func `a new server takes over from it`() async throws {
        let requests = try await serve {
            let new = try RunningServer(database, ["--take-over"])
            #expect(try new.client.get("/readyz").status == 200)
            #expect(new.stop() == 0)
        }
        #expect(requests == ["GET /v1/admin/state"])
    }
}
