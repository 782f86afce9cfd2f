import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// `broadsheet migrate` while no server runs.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct MigrateTests {
    private let commands: MigrationCommands
    private let file: String
    private let server: String

    init() throws {
        commands = try MigrationCommands()
        file = commands.folder.file("a.db")
        server = try PostgresServer.shared.newDatabase()
    }

    @Test func `a database moves there and back, and tokens, tags and cursors stay valid`()
        throws
    {
        var served = try commands.serve(file, ["--samples", "--sign-up", "open"])
        let account = #"{"name":"ada","password":"correct horse battery"}"#
        #expect(try served.send(.post, "/v1/users", account).status == 201)
        let session = try served.send(.post, "/v1/sessions", account)
        let token = try #require(session.text.firstMatch(of: #/"accessToken":"([^"]+)"/#)?.1)
        let article = try served.client.get("/v1/articles/your-first-request")
        let page = try served.client.get("/v1/articles?limit=3")
        let cursor = try #require(page.text.firstMatch(of: #/"next":"([^"]+)"/#)?.1)
        let changes = try served.client.get("/v1/changes?since=now")
        #expect(served.stop() == 0)
        let before = try commands.export(file)

        let back = commands.folder.file("b.db")
        let there = try commands.run("migrate", "--from", file, "--to", server)
        #expect(there.status == 0, "\(there.errors)")
        #expect(there.output.contains { $0.hasPrefix("articles: 17 rows, ") })
        #expect(there.errors.last?.contains("tables are identical up to change") == true)
        let here = try commands.run("migrate", "--from", server, "--to", back)
        #expect(here.status == 0 && here.output == there.output, "\(here.errors)")

        for database in [server, back] {
            #expect(try commands.export(database) == before)
            served = try commands.serve(database)
            let same = try served.client.get("/v1/articles/your-first-request")
            #expect(same.fields[.etag] == article.fields[.etag] && same.text == article.text)
            #expect(
                try served.client.get("/v1/articles?limit=3&cursor=\(cursor)").status == 200)
            #expect(try served.client.get("/v1/changes?since=now").text == changes.text)
            #expect(try served.send(.get, "/v1/me", key: String(token)).status == 200)
            #expect(served.stop() == 0)
        }
    }

    @Test func `what cannot be moved is rejected with the reason`() throws {
        #expect(try commands.serve(file).stop() == 0)
        #expect(try commands.serve(server).stop() == 0)
        let other = commands.folder.file("other.db")
        for (arguments, status, reason) in [
            (["--from", file], 64, "needs --from and --to"),
            (["--from", file, "--to", other], 64, "use backup and restore"),
            (["--from", server, "--to", server], 64, "own tools"),
            (["--from", other, "--to", server], 66, "does not exist"),
            (["--from", file, "--to", server], 73, "is not empty"),
            (["--from", server, "--to", file], 73, "is not empty"),
        ] as [([String], Int32, String)] {
            let ended = try commands.start(["migrate"] + arguments)
            #expect(ended.wait() == status, "\(arguments)")
            #expect(ended.errors.rest().contains { $0.contains(reason) }, "\(arguments)")
        }
        #expect(access(other, F_OK) != 0)
    }

    @Test func `a backup is moved into an empty PostgreSQL database`() throws {
        let served = try commands.serve(file, ["--samples"])
        let backup = commands.folder.file("backup.db")
        #expect(try commands.run("backup", backup, "--database", file).status == 0)
        #expect(served.stop() == 0)
        #expect(try commands.run("migrate", "--from", backup, "--to", server).status == 0)
        #expect(try commands.export(server) == commands.export(backup))
    }
}
