import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Starts that wait for what mends itself, and end at once for mistakes.
@Suite(.mayBlock) struct StartTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ database: String, _ arguments: [String] = []) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/env",
            ["-C", folder.path, try Program.path(), "serve", "--database", database]
                + (arguments.isEmpty ? ["--listen", "127.0.0.1:0"] : arguments),
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
    }

    private func waitForWarning(_ program: RunningProgram, _ text: String) throws {
        while let line = program.errors.next() {
            if line.contains(text), line.contains("waiting for it") { return }
        }
        throw TestFailure("it does not wait for \(text)")
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `a server of the database that is not there yet is waited for`() throws {
        let server = try PostgresServer.shared
        let rest = try server.newDatabase().dropFirst("postgresql:///".count)
        let name = rest.prefix { $0 != "?" }
        let sockets = folder.file("s")
        try #require(mkdir(sockets, 0o700) == 0)
        let url = "postgresql:///\(name)?host=\(sockets)&user=broadsheet"
        let program = try serve(url)
        try waitForWarning(program, sockets)
        let socket = "/.s.PGSQL.5432"
        try #require(symlink(server.folder + socket, sockets + socket) == 0)
        let served = try RunningServer(program)
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `stopping a server that waits for its database ends it`() throws {
        let program = try serve("postgresql:///x?host=\(folder.path)&user=broadsheet")
        try waitForWarning(program, folder.path)
        program.signal(SIGTERM)
        #expect(program.wait() == 0)
    }

    @Test func `an address that the machine does not have yet is waited for`() throws {
        let program = try serve(
            "a.db", ["--listen", "127.0.0.1:0", "--listen", "192.0.2.1:0"])
        try waitForWarning(program, "192.0.2.1")
        program.signal(SIGTERM)
        #expect(program.wait() == 0)
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `mistakes have the statuses that a supervisor does not restart`() throws {
        let server = try PostgresServer.shared
        let (plain, unsafe) = (server.newName(), server.newName())
        try server.run(
            "CREATE DATABASE \(plain) ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' "
                + "TEMPLATE template0")
        try server.run("CREATE DATABASE \(unsafe)")
        try server.run("ALTER DATABASE \(unsafe) SET synchronous_commit = off")
        let role = server.newName()
        try server.run("CREATE ROLE \(role) LOGIN")
        let owned = server.newName()
        try server.run("CREATE DATABASE \(owned)")
        let base = server.url(of: owned)
        let mistakes: [(url: String, status: Int32, says: String)] = [
            ("postgresql://ada:secret@localhost/db", 78, "password"),
            ("postgresql://[/", 78, "URL is invalid"),
            (server.url(of: plain), 78, "its encoding is not UTF8"),
            (server.url(of: unsafe), 78, "synchronous_commit is off"),
            (server.url(of: server.newName()), 78, "does not exist"),
            (base.replacing("user=broadsheet", with: "user=nobody"), 77, "nobody"),
            (base.replacing("user=broadsheet", with: "user=\(role)"), 77, "42501"),
            (base + "&sslmode=nonsense", 78, "sslmode"),
        ]
        for mistake in mistakes {
            let program = try serve(mistake.url)
            let errors = program.errors.rest()
            #expect(program.wait() == mistake.status, "\(mistake) \(errors)")
            #expect(errors.count == 1 && errors[0].contains(mistake.says), "\(mistake) \(errors)")
        }
    }

    /// Dispatch waits without end for threads that cannot be created, and then for signals, too.
    @Test(.disabled(if: Sanitizer.isUsed, "sanitizers reserve terabytes of address space"))
    func `too little address space is rejected, and enough serves and stops`() throws {
        func serve(kibibytes: Int) throws -> RunningProgram {
            try Shell.start(
                """
                ulimit -v \(kibibytes)
                exec "$binary" serve --listen 127.0.0.1:0 --database "$folder/v.db"
                """, folder: folder.path)
        }
        var needed: Int?
        for kibibytes in [200_000, 300_000, 450_000, 700_000] {
            let program = try serve(kibibytes: kibibytes)
            let errors = program.errors.rest()
            #expect(program.wait() == 78, "\(kibibytes) \(errors)")
            try #require(errors.count == 1 && errors[0].contains("ulimit -v"), "\(errors)")
            needed = errors[0].firstMatch(of: /serve needs ([0-9]+) MiB/).flatMap { Int($0.1) }
        }
        let served = try RunningServer(serve(kibibytes: #require(needed) << 10))
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `a damaged file is named, with a remedy`() throws {
        let database = folder.file("a.db")
        let served = try RunningServer(database)
        #expect(served.stop() == 0)
        let file = open(database, O_RDWR)
        defer { close(file) }
        var status = stat()
        try #require(fstat(file, &status) == 0)
        let garbage = [UInt8](repeating: 0x55, count: 4_096)
        for offset in stride(from: 4_096, to: Int(status.st_size), by: 4_096) {
            try #require(pwrite(file, garbage, garbage.count, off_t(offset)) == garbage.count)
        }
        let program = try serve(database)
        let errors = program.errors.rest()
        #expect(program.wait() == 65, "\(errors)")
        #expect(errors.last?.contains("\(database) is damaged") == true, "\(errors)")
        #expect(errors.last?.contains("broadsheet restore") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can act as another user"))
    func `another user's file is a lack of permission`() throws {
        let database = folder.file("a.db")
        #expect(try RunningServer(database).stop() == 0)
        try #require(chmod(folder.path, 0o755) == 0)
        let program = try RunningProgram(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", try Program.path(), "serve",
                "--listen", "127.0.0.1:0", "--database", database,
            ])
        let errors = program.errors.rest()
        #expect(program.wait() == 77, "\(errors)")
        #expect(errors.last?.contains(database) == true)
    }

    @Test func `a command that runs while a server starts waits for it`() throws {
        for number in 0..<3 {
            let database = folder.file("\(number).db")
            let starting = try serve(database)
            let commands = try (0..<2).map { _ in
                try Program.start(["key", "create", "--role", "reader", "--database", database])
            }
            let served = try RunningServer(starting)
            for command in commands {
                // A command that was first may have found no database.
                let status = command.wait()
                #expect(status == 0 || status == 66, "\(command.errors.rest())")
            }
            #expect(served.stop() == 0)
        }
    }
}
