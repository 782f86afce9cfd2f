import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

@Suite struct CertificatesTests {
    private let folder: TemporaryFolder
    private let authority: TestCertificates
    private let files: CertificateFiles

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestCertificates()
        files = CertificateFiles(paths: [
            .init(certificate: folder.file("a.pem"), key: folder.file("a.key"))
        ])
        try write(authority.pair(["one.test"]))
    }

    private func write(_ pair: CertificateAndKey) throws {
        try write(pair.key, "a.key")
        try write(pair.certificate, "a.pem")
    }

    /// Replaces the file atomically, so that its inode changes.
    private func write(_ bytes: [UInt8], _ name: String) throws {
        let path = folder.file(name)
        let file = try #require(fopen(path + ".new", "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        #expect(rename(path + ".new", path) == 0)
    }

    private func certificates() throws -> Certificates {
        try Certificates(
            files, profile: .intermediate, protocols: ["http/1.1"],
            ServerLog(isJSON: true, system: .real) { _ in }, .real)
    }

    /// The name on the certificate that a client receives.
    private func shown(by certificates: Certificates) async throws -> String? {
        let configuration = ServerConfiguration.local { $0.tls = certificates.server }
        let name = Lock<String?>(nil)
        try await TestServer.run(HTTPRouterBuilder().build(), with: configuration) { server in
            let connection = try RawConnection(server.address)
            let shown = try connection.startTLS().certificateName
            name.withLock { $0 = shown }
        }
        return name.withLock { $0 }
    }

    @Test func `changed files are loaded once they are stable`() async throws {
        let certificates = try certificates()
        certificates.poll()
        #expect(try await shown(by: certificates) == "one.test")
        try write(authority.pair(["two.test"]))
        certificates.poll()
        // They may still be changing.
        #expect(try await shown(by: certificates) == "one.test")
        certificates.poll()
        #expect(try await shown(by: certificates) == "two.test")
    }

    @Test func `on request, files are loaded at once`() async throws {
        let certificates = try certificates()
        try write(authority.pair(["two.test"]))
        certificates.reload()
        #expect(try await shown(by: certificates) == "two.test")
    }

    @Test func `an invalid or expired certificate is not loaded`() async throws {
        let certificates = try certificates()
        let good = try authority.pair(["two.test"])
        let expired = try authority.pair(["two.test"], days: -1, startsInDays: -9)
        for pair in [
            expired, CertificateAndKey(certificate: good.certificate, key: expired.key),
            CertificateAndKey(certificate: [], key: good.key),
        ] {
            try write(pair)
            certificates.reload()
            #expect(try await shown(by: certificates) == "one.test")
        }
        #expect(remove(folder.file("a.key")) == 0)
        certificates.reload()
        #expect(try await shown(by: certificates) == "one.test")
        try write(good)
        certificates.poll()
        certificates.poll()
        #expect(try await shown(by: certificates) == "two.test")
    }

    @Test func `a start with a bad pair names the file`() throws {
        try write(Array("nothing".utf8), "a.key")
        let error = #expect(throws: CommandFailure.self) { try certificates() }
        #expect(error?.status == .configuration)
        #expect(error?.message.contains(folder.file("a.key")) == true)
    }

    // MARK: Flags

    @Test(arguments: [
        ["--tls-certificate", "a"], ["--tls-key", "a"],
        ["--tls-certificate", "a", "--tls-key", "b", "--tls-key", "c"],
        ["--tls-profile", "old"], ["--redirect-http", "127.0.0.1:80"], ["--hsts", "60"],
        ["--tls-certificate", "a", "--tls-key", "b", "--hsts", "-1"],
        ["--trusted-proxy", "10.0.0.1/8"], ["--trusted-proxy", "localhost"],
    ])
    func `incomplete or invalid flags are rejected`(arguments: [String]) {
        let error = #expect(throws: CommandFailure.self) { try Self.configuration(arguments) }
        #expect(error?.status == .usage)
    }

    @Test func `certificates and keys are paired in their order`() throws {
        let transport = try Self.configuration([
            "--tls-certificate", "a", "--tls-key", "1", "--tls-key", "2", "--tls-certificate", "b",
            "--tls-profile", "modern", "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "unix",
        ])
        #expect(
            transport.certificates == [
                .init(certificate: "a", key: "1"), .init(certificate: "b", key: "2"),
            ])
        #expect(transport.profile == .modern)
        #expect(transport.trustedProxies.contains(.unix("/x")))
        #expect(transport.trustedProxies.contains(.v4([10, 1, 1, 1], port: 1)))
    }

    private static func configuration(
        _ arguments: [String]
    ) throws(CommandFailure) -> TransportConfiguration {
        try TransportConfiguration(
            Settings(
                options: ServeCommand.options, arguments: arguments, environment: [:],
                readFile: { (_) throws(CommandFailure) in [] }))
    }
}
