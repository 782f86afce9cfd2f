import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@Suite(.mayBlock) struct TLSTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeCertificate(_ name: String, out: String) throws {
        let made = try Program.run(
            "certificate", "--self-signed", name, "--self-signed", "127.0.0.1", "--days", "30",
            "--out", folder.file(out))
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Replaces a certificate.
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

    private func serve(_ more: [String] = []) throws -> RunningServer {
        try RunningServer(
            folder.file("articles.db"),
            [
                "--tls-certificate", folder.file("a.pem"), "--tls-key", folder.file("a.key"),
            ] + more)
    }

    private func connect(_ served: RunningServer, _ host: String = "localhost") throws
        -> RawConnection
    {
        let connection = try RawConnection(served.addresses[0])
        var options = TestTLS(host)
        options.authorities = try read(folder.file("a.pem"))
        try connection.startTLS(options)
        return connection
    }

    private let health = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `a certificate is created, and used to serve articles`() throws {
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

    @Test func `an existing certificate is not overwritten`() throws {
        try makeCertificate("localhost", out: "a")
        let before = try read(folder.file("a.key"))
        let again = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("a"))
        #expect(again.status == 73)
        #expect(try read(folder.file("a.key")) == before)
        #expect(try Program.run("certificate").status == 64)
        #expect(try Program.run("certificate", "--self-signed", "a,DNS:b").status == 64)
    }

    @Test func `SIGHUP loads new certificates under load, and rejects invalid ones`()
        async throws
    {
        try makeCertificate("localhost", out: "a")
        let served = try serve()
        let kept = try connect(served)
        for round in 0..<3 {
            let name = "round-\(round).test"
            try renew(name, in: "a")
            served.program.signal(SIGHUP)
            // Requests continue while the new ones are loaded.
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

    @Test func `a certificate is renewed although another one has expired`() throws {
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
        // An expired certificate replaces a valid one.
        try writeExpired("two.test")
        served.program.signal(SIGHUP)
        try served.waitForError("keeping the current certificates")
        #expect(throws: Never.self) { try connect(served, "new.test") }
    }

    @Test func `a key that a proxy received over plain HTTP is rejected`() throws {
        let served = try RunningServer(
            folder.file("articles.db"), ["--trusted-proxy", "127.0.0.0/8"])
        func status(_ proto: String) throws -> ReceivedResponse {
            try served.client.send(
                .get, "/v1/articles",
                fields: [
                    .authorization: "Bearer \(RunningServer.adminKey)", .xForwardedProto: proto,
                ])
        }
        #expect(try status("https").status == 200)
        let rejected = try status("http")
        #expect(rejected.status == 403)
        #expect(rejected.text.contains("/problems/insecure-transport"))
        #expect(!rejected.text.contains(RunningServer.adminKey))
        let anonymous = try served.client.send(
            .get, "/v1/articles", fields: [.xForwardedProto: "http"])
        #expect(anonymous.status == 200)
    }
}
