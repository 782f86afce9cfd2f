import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Takeovers that fail: the remaining process serves.
@Suite(.mayBlock) struct FailedTakeoverTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private static let health = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `a new server that cannot start leaves the old one alone`() throws {
        let served = try RunningServer(database)
        let taken = try RawConnection(served.addresses[0])
        let failures: [([String], Int32)] = [
            (["--listen", "nowhere"], 64),
            (["--tls-certificate", "/nowhere.pem", "--tls-key", "/nowhere.key"], 66),
            (["--listen", "unix:/nowhere/at/all.sock"], 71),
        ]
        for (arguments, status) in failures {
            let failed = try Program.start(
                ["serve", "--take-over", "--database", database] + arguments)
            #expect(failed.wait() == status, "\(arguments): \(failed.errors.rest())")
            try taken.send(Self.health)
            #expect(try taken.response().status == 200)
        }
        #expect(served.stop() == 0)
    }

    /// Connects like a new process, up to the point where it would report that it is ready.
    private func meet() throws -> DescriptorChannel {
        let channel = try DescriptorChannel.connect(
            to: database + ".control", timeoutSeconds: Patience.seconds)
        try channel.send(
            "GET / HTTP/1.1\r\nHost: control\r\nConnection: upgrade\r\n"
                + "Upgrade: broadsheet-takeover/1\r\n\r")
        #expect(try channel.receiveLine() == "HTTP/1.1 101 Switching Protocols")
        while let line = try channel.receiveLine(), line != "end" {}
        return channel
    }

    private func expectService(_ served: RunningServer, _ kept: RawConnection) throws {
        try kept.send(Self.health)
        #expect(try kept.response().status == 200)
        #expect(try served.send(.post, "/v1/articles", #"{"title":"T"}"#).status == 201)
    }

    @Test(arguments: ["die at ready", "die at yours"])
    func `a successor that dies leaves everything to the old server`(step: String) throws {
        let served = try RunningServer(database)
        let kept = try RawConnection(served.addresses[0])
        try expectService(served, kept)
        let fake = try FakeSuccessor(database, step)
        try served.waitForError("this process continues")
        #expect(fake.program.wait() == 1)
        try expectService(served, kept)
        let server = ReplacedServer(served, database)
        try server.upgrade()
        try kept.send(Self.health)
        #expect(try kept.response().status == 200)
        kill(server.processID, SIGTERM)
    }

    @Test(arguments: ["stop at connected", "stop at offered"])
    func `a successor that hangs before it is ready does not block another takeover`(step: String)
        throws
    {
        let served = try RunningServer(database)
        let kept = try RawConnection(served.addresses[0])
        let fake = try FakeSuccessor(database, step)
        try fake.wait(for: String(step.split(separator: " ")[2]))
        try expectService(served, kept)
        let server = ReplacedServer(served, database)
        try server.upgrade()
        try expectService(served, kept)
        kill(server.processID, SIGTERM)
    }

    @Test(arguments: ["stop at ready", "stop at yours"])
    func `a successor that hangs with the database is killed, and the old server continues`(
        step: String
    ) throws {
        let served = try RunningServer(database)
        let kept = try RawConnection(served.addresses[0])
        try expectService(served, kept)
        let fake = try FakeSuccessor(database, step)
        #expect(fake.wasKilled())
        try expectService(served, kept)
        #expect(served.stop() == 0)
    }

    @Test func `stopping a server whose successor hangs stops both`() throws {
        let served = try RunningServer(database)
        let fake = try FakeSuccessor(database, "stop at yours")
        try fake.wait(for: "yours")
        #expect(served.stop() == 0)
        #expect(fake.wasKilled())
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test(arguments: ["migrate and fail", "migrate and die"])
    func `after a failed migration the database is restored`(step: String) throws {
        let served = try RunningServer(database)
        let kept = try RawConnection(served.addresses[0])
        try expectService(served, kept)
        let before = try served.client.get("/v1/articles").text
        let fake = try FakeSuccessor(database, step)
        try served.waitForError("restored the database to its state before the takeover")
        #expect(fake.program.wait() == 1)
        #expect(try served.client.get("/v1/articles").text == before)
        try expectService(served, kept)
        let files = ProcessFigures.entries(folder.path)
        #expect(files.filter { $0.contains("partial") } == [])
        #expect(served.stop() == 0)
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test func `a successor that reports progress is given more time`() throws {
        let served = try RunningServer(database)
        let fake = try FakeSuccessor(database, "migrate for long")
        try fake.wait(for: "serving")
        #expect(served.program.wait() == 0)
        #expect(fake.program.wait() == 0)
    }

    @Test func `a successor that is silent or sends invalid messages changes nothing`()
        throws
    {
        let served = try RunningServer(database)
        for line in [
            "nonsense", "ready", "ready 1", "ready 1 1", "yours",
            String(repeating: "x", count: 10_000),
        ] {
            let channel = try meet()
            try channel.send(line)
            try served.waitForError("did not become ready")
        }
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    /// Acts as an old process that sends the lines and then closes the connection.
    private func pretend(_ lines: [String]) throws -> RunningProgram {
        let listener = try ListeningSocket(.unix(database + ".control"))
        let new = try Program.start(
            ["serve", "--take-over", "--database", database, "--listen", "127.0.0.1:0"],
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
        var waiting = pollfd(fd: listener.raw, events: Int16(POLLIN), revents: 0)
        try #require(poll(&waiting, 1, Patience.milliseconds) == 1)
        let accepted = accept(listener.raw, nil, nil)
        let channel = try DescriptorChannel(Descriptor(accepted), timeoutSeconds: Patience.seconds)
        while let line = try channel.receiveLine(), !line.isEmpty {}
        // All at once, because the new process may close before it has read all lines.
        try channel.send(lines.joined(separator: "\n"))
        if lines.contains("end") {
            let ready = try channel.receiveLine()
            #expect(ready?.hasPrefix("ready \(new.processID)") == true)
        } else {
            _ = try channel.receiveLine()
        }
        listener.close()
        return new
    }

    private static let granted = ["HTTP/1.1 101 Switching Protocols\r", "\r"]

    @Test func `a database with a newer schema stays with its server`() throws {
        let new = try pretend(Self.granted + ["offer 1 999"])
        #expect(new.wait() == 65)
        #expect(new.errors.rest().last?.contains("newer") == true)
    }

    @Test func `a server that does not support takeovers is left alone`() throws {
        let new = try pretend(["HTTP/1.1 404 Not Found\r", "\r"])
        #expect(new.wait() == 69)
        #expect(new.errors.rest().last?.contains("stop it first") == true)
    }

    @Test func `if the old process dies meanwhile, the new one serves`() throws {
        let served = try RunningServer(try pretend(Self.granted + ["offer 1 1", "end"]))
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `a failed upgrade is reported with its reason`() throws {
        let key = folder.file("key")
        try write(RunningServer.adminKey, to: key)
        let served = try RunningServer(database, ["--admin-key-file", key], adminKey: nil)
        try #require(unlink(key) == 0)
        let failed = try Program.run("upgrade", "--database", database)
        #expect(failed.status == 69)
        #expect(failed.errors.last?.contains("ended with status 66; the old one continues") == true)
        try write(RunningServer.adminKey, to: key)
        let server = ReplacedServer(served, database)
        try server.upgrade()
        #expect(try served.client.get("/readyz").status == 200)
        kill(server.processID, SIGTERM)
        let nobody = try Program.run("upgrade", "--database", folder.file("other.db"))
        #expect(nobody.status == 69)
    }
}
