import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// A TLS server with certificates of a test authority.
struct TLSTest {
    let certificates: TestCertificates
    let tls: TLSServer

    init(
        profile: TLSProfile = .intermediate,
        _ pairs: (TestCertificates) throws -> [CertificateAndKey]
    ) throws {
        try self.init(TestCertificates(), profile: profile, pairs)
    }

    /// With certificates of an authority that tests share, as generating RSA keys takes long.
    init(
        _ certificates: TestCertificates, profile: TLSProfile = .intermediate,
        protocols: [String] = ["http/1.1"],
        _ pairs: (TestCertificates) throws -> [CertificateAndKey]
    ) throws {
        self.certificates = certificates
        tls = try TLSServer(
            pairs(certificates), profile: profile, protocols: protocols, system: .real)
    }

    /// One ECDSA certificate for `localhost`.
    init(
        profile: TLSProfile = .intermediate, protocols: [String] = ["http/1.1"]
    ) throws {
        try self.init(TestCertificates(), profile: profile, protocols: protocols) {
            [try $0.pair(["localhost"])]
        }
    }

    func run(
        _ router: HTTPRouter? = nil, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let configuration = ServerConfiguration.local {
            $0.tls = tls
            change(&$0)
        }
        try await TestServer.run(router ?? TestRoutes.router(), with: configuration, body)
    }

    /// The options with which a client trusts the server.
    func options(
        _ host: String = "localhost", _ change: (inout TestTLS) -> Void = { _ in }
    ) -> TestTLS {
        var options = TestTLS(host)
        options.authorities = certificates.authority.certificatePEM
        change(&options)
        return options
    }
}

extension TestServer {
    /// A client after its handshake.
    func connect(_ options: TestTLS) throws -> (RawConnection, TestSession) {
        let connection = try RawConnection(address)
        return (connection, try connection.startTLS(options))
    }

    /// Returns true if a valid client is served over TLS.
    func serves(_ options: TestTLS) throws -> Bool {
        let (connection, _) = try connect(options)
        try connection.send(get)
        return try connection.response().text == "hello"
    }

    /// Lets everything that was started finish.
    func waitUntilUnused() async throws {
        try #require(await eventually { server.connectionCount == 0 })
    }
}
