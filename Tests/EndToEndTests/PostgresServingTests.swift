import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// The binary with `--database postgresql://…`.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresServingTests {
    let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = try PostgresServer.shared.newDatabase()
    }

    /// Runs the binary in the folder, where it has its socket.
    private func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/env", ["-C", folder.path, try Program.path()] + arguments,
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
    }

    private func serve(_ arguments: [String] = []) throws -> RunningServer {
        try RunningServer(
            start(["serve", "--listen", "127.0.0.1:0", "--database", database] + arguments))
    }

    private func run(_ arguments: String...) throws -> Program.Ended {
        let program = try start(arguments + ["--database", database])
        let (output, errors) = (program.output.rest(), program.errors.rest())
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    @Test func `articles, keys and lists survive a restart`() throws {
        var served = try serve()
        let created = try served.send(
            .post, "/v1/articles", #"{"title":"Rye","status":"published"}"#)
        #expect(created.status == 201)
        #expect(try run("key", "create", "--name", "app", "--role", "reader").status == 0)
        #expect(served.stop() == 0)
        served = try serve()
        let list = try served.client.send(.get, "/v1/articles")
        #expect(list.status == 200)
        #expect(String(decoding: list.body, as: UTF8.self).contains(#""title":"Rye""#))
        let keys = try run("key", "list")
        #expect(keys.status == 0 && keys.output.contains { $0.contains("app") })
        #expect(served.stop() == 0)
        // Without a server, the command opens the database itself.
        let offline = try run("key", "list")
        #expect(offline.status == 0 && offline.output == keys.output)
    }

    @Test func `an export of a file is restored in PostgreSQL, and exports the same`() throws {
        let file = folder.file("a.db")
        let served = try RunningServer(file)
        for number in 0..<3 {
            let sent = try served.send(.post, "/v1/articles", #"{"title":"Bread \#(number)"}"#)
            #expect(sent.status == 201)
        }
        #expect(served.stop() == 0)
        let (first, second) = (folder.file("a.export"), folder.file("b.export"))
        #expect(try Program.run("export", first, "--database", file).status == 0)
        let restored = try run("import", first)
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try run("export", second).status == 0)
        #expect(try read(first) == read(second))
    }

    @Test func `a server that takes over loses no request`() throws {
        let served = try serve()
        let successor = try start(
            ["serve", "--take-over", "--listen", "127.0.0.1:0", "--database", database])
        #expect(served.program.wait() == 0)
        let created = try served.send(.post, "/v1/articles", #"{"title":"Rye"}"#)
        #expect(created.status == 201)
        successor.signal(SIGTERM)
        #expect(successor.wait() == 0)
    }

    @Test func `a command for files says so`() throws {
        let ended = try run("restore", "x")
        #expect(ended.status == 64)
        #expect(ended.errors.contains { $0.contains("broadsheet migrate") })
    }

    @Test func `a database is checked, served or not, unless it is empty`() throws {
        #expect(try run("doctor").output.contains { $0.contains("responds and is empty") })
        #expect(try run("check").status == 65)
        let served = try serve(["--samples"])
        #expect(try run("check").status == 0)
        #expect(served.stop() == 0)
        let ended = try run("check")
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// `serve` fails with these roles, so no finding may say that it initializes or uses tables.
    @Test func `a role that cannot serve fails the doctor's check`() throws {
        let server = try PostgresServer.shared
        let role = server.newName()
        try server.run("CREATE ROLE \(role) LOGIN")
        let limited = database.replacing("user=broadsheet", with: "user=\(role)")
        func doctor() throws -> [String] {
            let program = try start(["doctor", "--listen", "127.0.0.1:0", "--database", limited])
            let (output, errors) = (program.output.rest(), program.errors.rest())
            #expect(program.wait() == 78 && errors == ["broadsheet: 1 failure, see above"])
            return output
        }
        let empty = try doctor()
        #expect(empty.contains { $0.hasPrefix("FAILURE") && $0.contains("may not create any") })
        #expect(!empty.contains { $0.contains("initializes") || $0.contains("disk:") })
        #expect(try serve().stop() == 0)
        try server.run("GRANT pg_read_all_data TO \(role)")
        let reading = try doctor()
        #expect(reading.contains { $0.hasPrefix("FAILURE") && $0.contains("lacks rights on ") })
    }

    @Test func `a backup of a served database is a file that can be served`() throws {
        let served = try serve(["--samples"])
        let (backup, exported) = (folder.file("backup.db"), folder.file("a.export"))
        let made = try run("backup", backup)
        #expect(made.status == 0 && made.errors == ["\(backup): 17 articles, 17 revisions"])
        let downloaded = try served.send(.post, "/v1/admin/backups")
        #expect(downloaded.status == 200)
        #expect(downloaded.body.starts(with: Array("SQLite format 3".utf8)))
        #expect(try run("export", exported).status == 0)
        #expect(served.stop() == 0)
        let same = folder.file("b.export")
        #expect(try Program.run("export", same, "--database", backup).status == 0)
        #expect(try read(same) == read(exported))
        let copy = try RunningServer(backup)
        #expect(try copy.client.get("/v1/articles").status == 200)
        #expect(copy.stop() == 0)
        #expect(try run("backup", backup).status == 73)
    }

    @Test func `a password in the URL is rejected, and shown nowhere`() throws {
        let ended = try Program.run(
            "serve", "--database", "postgresql://ada:hunter2@localhost/articles")
        #expect(ended.status != 0)
        #expect(ended.errors.contains { $0.contains("~/.pgpass") })
        #expect(!(ended.errors + ended.output).contains { $0.contains("hunter2") })
    }
}
