import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// A supervisor such as systemd: it receives state changes, and may open the sockets.
@Suite(.mayBlock) struct SupervisionTests {
    let folder: TemporaryFolder
    let database: String
    let supervisor: NotifySocket

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        supervisor = try NotifySocket(folder.file("notify"))
    }

    private var environment: [String: String] {
        ["NOTIFY_SOCKET": supervisor.path, "BROADSHEET_ADMIN_KEY": RunningServer.adminKey]
    }

    private func start(_ more: [String: String] = [:], _ arguments: [String] = []) throws
        -> RunningServer
    {
        try RunningServer(
            Program.start(
                ["serve", "--database", database, "--listen", "127.0.0.1:0"] + arguments,
                environment: environment.merging(more) { $1 }))
    }

    @Test func `it is notified of the start, reloads, a successor and the shutdown`() async throws {
        let served = try start()
        #expect(supervisor.next()?["READY"] == "1")
        served.program.signal(SIGHUP)
        let reloading = try #require(supervisor.next())
        #expect(reloading["RELOADING"] == "1")
        #expect(reloading["MONOTONIC_USEC"].flatMap { Int64($0) } ?? 0 > 0)
        #expect(supervisor.next()?["READY"] == "1")
        let reign = ReplacedServer(served, database)
        try reign.upgrade()
        #expect(supervisor.next()?["RELOADING"] == "1")
        // The messages of the new and the old process may arrive in either order.
        let states = [try #require(supervisor.next()), try #require(supervisor.next())]
        #expect(states.allSatisfy { $0["READY"] == "1" })
        #expect(states.compactMap { $0["MAINPID"] } == ["\(reign.processID)"])
        #expect(await reign.stop())
        #expect(supervisor.next()?["STOPPING"] == "1")
    }

    @Test func `it is notified of a failed takeover`() throws {
        let served = try start()
        #expect(supervisor.next()?["READY"] == "1")
        let fake = try FakeSuccessor(database, "die at yours")
        #expect(supervisor.next()?["RELOADING"] == "1")
        #expect(fake.program.wait() == 1)
        #expect(supervisor.next()?["READY"] == "1")
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test
    func `a server and its successor send keep-alives, unless the watchdog is another process's`()
        async throws
    {
        let served = try start(["WATCHDOG_USEC": "200000"])
        for _ in 0..<3 {
            while supervisor.next()?["WATCHDOG"] != "1" {}
        }
        let reign = ReplacedServer(served, database)
        try reign.upgrade()
        while supervisor.next()?["MAINPID"] == nil {}
        for _ in 0..<3 { #expect(supervisor.next() != nil) }
        #expect(await reign.stop())
        let other = try start(["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"])
        while let fields = supervisor.next(), fields["STATUS"] != "serving" {}
        #expect(other.stop() == 0)
        #expect(supervisor.next()?["STOPPING"] == "1")
    }

    @Test func `no keep-alives are sent while nobody serves`() throws {
        let served = try start(["WATCHDOG_USEC": "200000"])
        let fake = try FakeSuccessor(database, "stop at yours")
        try fake.wait(for: "yours")
        supervisor.forget()
        // The hanging successor is killed, and the server serves again.
        #expect(supervisor.next()?["READY"] == "1")
        while supervisor.next()?["WATCHDOG"] != "1" {}
        #expect(fake.wasKilled())
        #expect(served.stop() == 0)
    }

    @Test func `a missing supervisor is not a failure`() throws {
        for name in ["/nowhere/at/all", "@broadsheet-nobody", "relative", "vsock:2:1234"] {
            let served = try start(["NOTIFY_SOCKET": name])
            #expect(served.stop() == 0)
        }
    }

    // MARK: Sockets

    /// Starts the binary with sockets from descriptor 3 on (sd_listen_fds(3)).
    private func activate(
        _ sockets: [Int32], names: String, _ arguments: String = ""
    ) throws -> RunningProgram {
        let settings = "LISTEN_PID=$$ LISTEN_FDS=\(sockets.count) LISTEN_FDNAMES=\(names)"
        return try RunningProgram(
            "/bin/sh",
            [
                "-e", "-c",
                "\(settings) exec \"$binary\" serve --database \"$database\" \(arguments)",
            ],
            environment: environment.merging(
                ["binary": Program.path(), "database": database]) { $1 },
            passing: sockets)
    }

    @Test func `sockets of a supervisor are served, by a successor too, and stay open`()
        async throws
    {
        let articles = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let local = try ListeningSocket(.unix(folder.file("s.sock")))
        let admin = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let program = try activate(
            [articles.raw, admin.raw, local.raw], names: "broadsheet.socket:admin:local")
        let served = try RunningServer(program, listeners: 2)
        #expect(served.addresses == [articles.address, local.address])
        let reign = ReplacedServer(served, database)
        for _ in 0..<2 {
            #expect(try TestClient(local.address).get("/readyz").status == 200)
            #expect(try TestClient(articles.address).get("/metrics").status == 404)
            #expect(try TestClient(admin.address).get("/metrics").status == 200)
            try reign.upgrade()
        }
        #expect(await reign.stop())
        #expect(access(folder.file("s.sock"), F_OK) == 0)
    }

    @Test func `a descriptor that is not a socket is rejected`() throws {
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let program = try activate([file], names: "x")
        #expect(program.wait() == 78)
        #expect(program.errors.rest().last?.contains("descriptor 3 of LISTEN_FDS") == true)
    }

    @Test(arguments: [("proxied", "--trusted-proxy"), ("redirect", "--tls-certificate")])
    func `a socket without its required options fails the start`(name: String, needed: String)
        throws
    {
        let articles = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let other = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let program = try activate([articles.raw, other.raw], names: "articles:\(name)")
        #expect(program.wait() == 78)
        #expect(program.errors.rest().last?.contains(needed) == true)
    }

    @Test func `sockets for another process are left alone`() throws {
        let served = try start(["LISTEN_PID": "1", "LISTEN_FDS": "1"])
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }
}
