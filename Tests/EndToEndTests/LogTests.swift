import Glibc
import HTTP
import TestSupport
import Testing

/// What the server tells on standard error, and how much of it.
@Suite struct LogTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ level: String, _ more: [String] = []) throws -> Served {
        try Served(
            folder.file("a.db"), ["--log", "json", "--log-level", level] + more)
    }

    @Test func `signals turn the level up and down while it serves`() throws {
        let served = try serve("info")
        for (signal, level) in [
            (SIGUSR2, "warning"), (SIGUSR2, "error"), (SIGUSR2, "error"), (SIGUSR1, "warning"),
        ] {
            served.program.signal(signal)
            try served.waitForError("the log level is \(level)")
        }
        // An answer is told when it is out; by the second one on a connection, the first was.
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

    @Test func `at the level of errors nothing is said of what goes well`() throws {
        let served = try serve("error")
        #expect(try served.client.get("/nothing").status == 404)
        #expect(served.stop() == 0)
        #expect(served.program.errors.rest() == [])
    }

    @Test func `handshakes that fail are told to who debugs`() throws {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("c"))
        try #require(made.status == 0)
        let served = try serve(
            "debug", ["--tls-certificate", folder.file("c.pem"), "--tls-key", folder.file("c.key")])
        #expect(try TestClient(served.addresses[0]).get("/livez").status == 400)
        #expect(served.stop() == 0)
        #expect(
            served.program.errors.rest().contains { line in
                line.contains(#""handshake":"plainHTTP","reason":"the peer speaks HTTP"#)
            })
    }

    @Test func `a wrong level is refused`() throws {
        let ended = try Program.run("serve", "--log-level", "loud")
        #expect(ended.status == 64 && ended.errors.count == 1)
        #expect(ended.errors[0].contains("error, warning, info, debug"))
    }
}
