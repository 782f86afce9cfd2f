import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@Suite struct TrustTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private func client(trusting authority: SelfSignedCertificate? = nil) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        let pem = (authority ?? certificates.authority).certificatePEM
        configuration.tls = try TLSClient(authorities: Array(pem.utf8), protocols: ["http/1.1"])
        return try HTTPClient(configuration)
    }

    private func origin(_ host: String, _ address: SocketAddress) throws -> HTTPOrigin {
        try #require(HTTPOrigin("https://\(host):\(address.port)"))
    }

    private static let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// The outcome of a client that trusts the authority for a server with this certificate.
    private func outcome(
        of pair: CertificateAndKey, as host: String, version: Int32 = 0,
        response: String = response,
        ending: TestTLSPeer.Ending = .proper, trusting authority: SelfSignedCertificate? = nil
    ) async throws -> Result<String?, HTTPClientError> {
        let peer = try TestTLSPeer(pair, version: version, response: response, ending: ending)
        let client = try client(trusting: authority)
        let origin = try origin(host, peer.address)
        do throws(HTTPClientError) {
            return .success(try await client.send(plain, to: origin).text)
        } catch { return .failure(error) }
    }

    @Test(arguments: ["localhost", "127.0.0.1"], [TestTLS.tls12, TestTLS.tls13])
    func `a server of a trusted authority is trusted by name and by address`(
        host: String, version: Int32
    ) async throws {
        let pair = try certificates.pair(["localhost", "127.0.0.1"])
        #expect(try await outcome(of: pair, as: host, version: version) == .success("hello"))
    }

    @Test func `an expired certificate is rejected`() async throws {
        let pair = try certificates.pair(["localhost"], days: -1, startsInDays: -9)
        #expect(try await outcome(of: pair, as: "localhost").isUntrusted("expired"))
    }

    @Test func `a certificate that is not yet valid is rejected`() async throws {
        let pair = try certificates.pair(["localhost"], days: 9, startsInDays: 3)
        #expect(try await outcome(of: pair, as: "localhost").isUntrusted("not yet valid"))
    }

    @Test(arguments: [
        (["other.test"], "localhost"), (["localhost.test"], "localhost"),
        (["*.localhost"], "localhost"), (["localhost"], "127.0.0.1"),
    ])
    func `a certificate for another name is rejected`(
        names: [String], host: String
    ) async throws {
        let pair = try certificates.pair(names)
        #expect(try await outcome(of: pair, as: host).isUntrusted("mismatch"))
    }

    @Test func `a name only in the subject is ignored`() async throws {
        let pair = try certificates.pair(namedBySubject: "localhost")
        #expect(try await outcome(of: pair, as: "localhost").isUntrusted("mismatch"))
    }

    @Test func `a self-signed certificate is rejected unless it is an authority`()
        async throws
    {
        let own = try SelfSignedCertificate.selfSigned(["localhost"], days: 9)
        #expect(
            try await outcome(of: CertificateAndKey(own), as: "localhost").isUntrusted(
                "self-signed"))
        let trusted = try await outcome(of: CertificateAndKey(own), as: "localhost", trusting: own)
        #expect(trusted == .success("hello"))
    }

    @Test func `a certificate of another authority is rejected`() async throws {
        let pair = try TestCertificates().pair(["localhost"])
        let outcome = try await outcome(of: pair, as: "localhost")
        #expect(outcome.isUntrusted(""))
    }

    @Test func `the system's authorities do not trust test certificates`() async throws {
        let peer = try TestTLSPeer(certificates.pair(["localhost"]), response: Self.response)
        let client = try HTTPClient()
        let origin = try origin("localhost", peer.address)
        let error = await failure { () throws(HTTPClientError) in
            try await client.send(plain, to: origin)
        }
        guard case .insecure(.untrusted)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a server limited to TLS 1_1 is rejected`() async throws {
        let pair = try certificates.pair(["localhost"])
        let outcome = try await outcome(of: pair, as: "localhost", version: TestTLS.tls11)
        guard case .failure(.insecure(.rejected)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test(arguments: [TestTLS.tls12, TestTLS.tls13])
    func `a body until close is complete only with close_notify`(version: Int32) async throws {
        let pair = try certificates.pair(["localhost"])
        let response = "HTTP/1.1 200 OK\r\n\r\nhalf"
        let whole = try await outcome(
            of: pair, as: "localhost", version: version, response: response)
        #expect(whole == .success("half"))
        let cut = try await outcome(
            of: pair, as: "localhost", version: version, response: response, ending: .cut)
        #expect(cut == .failure(.disconnected))
    }

    @Test func `a server without TLS is rejected`() async throws {
        try await ScriptedServer.run { peer, _ in
            try await peer.respond("hello")
        } _: { server in
            let client = try client()
            let origin = try origin("127.0.0.1", server.address)
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin)
            }
            guard case .insecure? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a connection that is lost during the handshake is not insecure`() async throws {
        try await ScriptedServer.run { peer, _ in
            try await peer.beginning()
        } _: { server in
            let client = try client()
            let origin = try origin("localhost", server.address)
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin)
            }
            #expect(error == .cannotConnect(origin, SystemError("connect", code: ECONNRESET)))
        }
    }

    @Test func `client and server interoperate over TLS and keep connections alive`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.post, "/echo") { request, _ in
            HTTPResponse(.ok, body: .bytes(request.body))
        }
        let tls = try TLSServer(
            [certificates.pair(["localhost"])], protocols: ["http/1.1"], system: .real)
        try await TestServer.run(routes.build(), with: .local { $0.tls = tls }) { server in
            let client = try client()
            let origin = try origin("localhost", server.address)
            for length in [0, 1, 16_384, 1_000_000] {
                let body = [UInt8](repeating: 7, count: length)
                let sent = try request("/echo", .post, body: body)
                let response = try await client.send(sent, to: origin)
                guard case .bytes(let echo) = response.body else {
                    Issue.record("no bytes")
                    return
                }
                let isWhole = echo == body
                #expect(isWhole)
            }
            #expect(client.connectionCount == 1)
        }
    }
}

extension Result where Success == String?, Failure == HTTPClientError {
    /// Returns true if the certificate was rejected for a reason that contains these words.
    fileprivate func isUntrusted(_ words: String) -> Bool {
        guard case .failure(.insecure(.untrusted(_, let reason))) = self else { return false }
        return reason.contains(words)
    }
}
