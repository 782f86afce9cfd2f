import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// The messages of a server when its database is away, in the log and to clients.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct NodeLogTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ database: String) throws -> RunningServer {
        let program = try RunningProgram(
            "/usr/bin/env",
            [
                "-C", folder.path, try Program.path(), "serve", "--listen", "127.0.0.1:0",
                "--database", database, "--log", "off",
            ], environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
        return try RunningServer(program)
    }

    /// Reads the log until each of these texts was in a line, and returns the lines.
    @discardableResult
    private func lines(of served: RunningServer, through texts: [String]) throws -> [String] {
        var missing = texts
        var lines: [String] = []
        while !missing.isEmpty {
            let line = try #require(served.program.errors.next(), "missing: \(missing)")
            lines.append(line)
            missing.removeAll { line.contains($0) }
        }
        return lines
    }

    @Test func `a node that is cut off from its database says so, and when it is over`() throws {
        let socket = ".s.PGSQL.5432"
        let server = try PostgresServer.shared
        let proxy = try SocketProxy(
            on: .unix(folder.file(socket)), to: .unix("\(server.folder)/\(socket)")
        ) { $0.pass() }
        let database = try server.newDatabase().replacing(server.folder, with: folder.path)
        let served = try serve(database)
        try lines(of: served, through: ["this server leads"])
        proxy.reject(true)
        proxy.cutAll()
        let begun = try lines(
            of: served,
            through: [
                // Within the first second, a read may fail first.
                "the database does not respond (", "/readyz is 503: ",
                "this server is no longer the leader",
            ])
        #expect(begun.count { $0.contains("the database does not respond (") } == 1)
        for target in ["/readyz", "/v1/articles"] {
            let response = try served.client.get(target)
            #expect(response.status == 503)
            #expect(response.text.contains("The database does not respond to this node"))
        }
        proxy.reject(false)
        try lines(
            of: served,
            through: ["the database responds again, after ", "/readyz is 200 again, after "])
        #expect(try served.client.get("/v1/articles").status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `commits that wait for a standby are logged, and clients are told`() async throws {
        let pair = try PostgresPair()
        let served = try serve(pair.url)
        try pair.stopStandby()
        async let first = served.send(.post, "/v1/articles", #"{"title":"Rye"}"#).status
        let line = "commits wait for a synchronous standby of the database: writes get 503"
        try lines(of: served, through: [line])
        let second = try served.send(.post, "/v1/articles", #"{"title":"Oat"}"#)
        #expect(second.status == 503 && second.fields[.retryAfter] == "1")
        #expect(second.text.contains("Writes wait for a standby of the database"))
        #expect(try served.client.get("/v1/articles").status == 200)
        try pair.startStandby()
        try lines(of: served, through: ["commits complete again, after "])
        _ = try await first
        #expect(try served.send(.post, "/v1/articles", #"{"title":"Oat"}"#).status == 201)
        #expect(served.stop() == 0)
    }
}
