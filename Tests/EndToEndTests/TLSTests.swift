import Glibc
import HTTP
import Sockets
import TestSupport
import Testing

@Suite struct TLSTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeCertificate(_ name: String, out: String) throws {
        let made = try Program.run(
            "certificate", "--self-signed", name, "--self-signed", "127.0.0.1", "--days", "30",
            "--out", folder.file(out))
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Puts a new certificate where another one is.
    private func renew(_ name: String, in place: String) throws {
        try makeCertificate(name, out: "new")
        for part in ["pem", "key"] {
            try #require(rename(folder.file("new.\(part)"), folder.file("\(place).\(part)")) == 0)
        }
    }

    private func writeExpired(_ name: String) throws {
        let pair = try TestCertificates().pair([name], days: -1, startsInDays: -9)
        try write(pair.key, to: folder.file("expired.key"))
        try write(pair.certificate, to: folder.file("expired.pem"))
    }

    private func serve(_ more: [String] = []) throws -> Served {
        try Served(
            folder.file("articles.db"),
            [
                "--tls-certificate", folder.file("a.pem"), "--tls-key", folder.file("a.key"),
            ] + more)
    }

    private func connect(_ served: Served, _ host: String = "localhost") throws -> RawConnection {
        let connection = try RawConnection(served.addresses[0])
        var options = TestTLS(host)
        options.authorities = try read(folder.file("a.pem"))
        try connection.startTLS(options)
        return connection
    }

    private let health = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `a certificate is made, and articles are served with it`() throws {
        try makeCertificate("localhost", out: "a")
        var status = stat()
        #expect(stat(folder.file("a.key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        let served = try serve(["--hsts", "60", "--tls-profile", "modern"])
        let connection = try connect(served)
        try connection.send("GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let response = try connection.response()
        #expect(response.status == 200)
        #expect(response.fields[.strictTransportSecurity] == "max-age=60")
        #expect(try served.client.get("/v1/articles").status == 400)
        connection.close()
        #expect(served.stop() == 0)
    }

    @Test func `a certificate that is there is not written over`() throws {
        try makeCertificate("localhost", out: "a")
        let before = try read(folder.file("a.key"))
        let again = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("a"))
        #expect(again.status == 73)
        #expect(try read(folder.file("a.key")) == before)
        #expect(try Program.run("certificate").status == 64)
        #expect(try Program.run("certificate", "--self-signed", "a,DNS:b").status == 64)
    }

    @Test func `on SIGHUP new certificates are taken under load, and broken ones are not`()
        async throws
    {
        try makeCertificate("localhost", out: "a")
        let served = try serve()
        let kept = try connect(served)
        for round in 0..<3 {
            let name = "round-\(round).test"
            try renew(name, in: "a")
            served.program.signal(SIGHUP)
            // Requests go on while the new ones are read.
            for _ in 0..<20 {
                try kept.send(health)
                #expect(try kept.response().status == 200)
            }
            try served.waitForError("loaded the new certificates")
            let connection = try connect(served, name)
            try connection.send(health)
            #expect(try connection.response().status == 200)
        }
        try write("broken", to: folder.file("a.key"))
        served.program.signal(SIGHUP)
        try served.waitForError("keeping the current certificates")
        #expect(throws: Never.self) { try connect(served, "round-2.test") }
        try kept.send(health)
        #expect(try kept.response().status == 200)
    }

    @Test func `while one certificate has expired, another one is renewed`() throws {
        try makeCertificate("localhost", out: "a")
        try writeExpired("one.test")
        let served = try serve([
            "--tls-certificate", folder.file("expired.pem"), "--tls-key",
            folder.file("expired.key"),
        ])
        try served.waitForError("expired.pem: has expired")
        try renew("new.test", in: "a")
        served.program.signal(SIGHUP)
        try served.waitForError("loaded the new certificates")
        try served.waitForError("expired.pem: has expired")
        let connection = try connect(served, "new.test")
        try connection.send(health)
        #expect(try connection.response().status == 200)
        // A step back from the one that was there.
        try writeExpired("two.test")
        served.program.signal(SIGHUP)
        try served.waitForError("keeping the current certificates")
        #expect(throws: Never.self) { try connect(served, "new.test") }
    }

    @Test func `a key that a proxy got in the clear is refused`() throws {
        let served = try Served(
            folder.file("articles.db"), ["--trusted-proxy", "127.0.0.0/8"])
        func status(_ proto: String) throws -> ReceivedResponse {
            try served.client.send(
                .get, "/v1/articles",
                fields: [
                    .authorization: "Bearer \(Served.adminKey)", .xForwardedProto: proto,
                ])
        }
        #expect(try status("https").status == 200)
        let refused = try status("http")
        #expect(refused.status == 403)
        #expect(refused.text.contains("/problems/insecure-transport"))
        #expect(!refused.text.contains(Served.adminKey))
        let stranger = try served.client.send(
            .get, "/v1/articles", fields: [.xForwardedProto: "http"])
        #expect(stranger.status == 200)
    }
}
