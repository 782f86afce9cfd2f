import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// Keys of a provider that are fetched over TLS.
@Suite struct OpenIDClientTests {
    private let key: TestSigningKey

    init() throws { key = try OpenIDFixture.curve.get() }

    private static func providers(
        _ provider: TestIdentityProvider, authorities: [UInt8]? = nil,
        timeout: Duration = .seconds(Patience.seconds)
    ) throws -> OpenIDProviders {
        var connections = HTTPClientConfiguration()
        connections.connectMilliseconds = Int64(Patience.seconds) * 1_000
        connections.tls = try TLSClient(
            authorities: authorities ?? provider.authorities, protocols: ["http/1.1"])
        let environment = OutboundEnvironment(
            agent: "a", exchange: OutboundClient(connections).exchange, timeout: timeout,
            system: .clock { Timestamp(milliseconds: 1_800_000_000_000) })
        return OpenIDProviders(
            [try OpenIDProvider("test=\(provider.issuer),\(OpenIDFixture.audience)")],
            in: environment,
            log: { _ in })
    }

    private func token(_ issuer: String) throws -> String {
        try OpenIDFixture().token(["iss": "\"\(issuer)\""], by: key)
    }

    /// The outcome of a token of the provider.
    private func outcome(
        _ provider: TestIdentityProvider, _ providers: OpenIDProviders
    ) async throws -> Result<VerifiedIdentity, ServiceError> {
        let token = try token(provider.issuer)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await providers.run() }
            defer { group.cancelAll() }
            do throws(ServiceError) {
                return .success(
                    try await providers.verify(
                        provider: "test", idToken: token, nonce: OpenIDFixture.nonce))
            } catch { return .failure(error) }
        }
    }

    private func cause(_ outcome: Result<VerifiedIdentity, ServiceError>) throws -> String {
        guard case .failure(.unavailable(let cause)) = outcome else {
            throw TestFailure("\(outcome)")
        }
        return cause
    }

    @Test func `configuration and keys are fetched from the issuer`() async throws {
        try await TestIdentityProvider.run([key]) { provider in
            let identity = try await outcome(provider, Self.providers(provider)).get()
            #expect(identity.issuer == provider.issuer && identity.subject == "001.ab.0042")
            #expect(provider.requestCount == 2)
        }
    }

    @Test func `a provider with an untrusted certificate is not asked`() async throws {
        let other = try TestCertificates()
        try await TestIdentityProvider.run([key]) { provider in
            let providers = try Self.providers(
                provider, authorities: Array(other.authority.certificatePEM.utf8))
            let cause = try await cause(outcome(provider, providers))
            #expect(cause.contains("certificate") && provider.requestCount == 0)
        }
    }

    @Test(
        arguments: [
            (.garbage, "is not a JSON object", 1), (.huge, "larger than 262144 bytes", 1),
            (.redirecting, "the status is 302", 1), (.otherIssuer, "another issuer", 1),
            (.unencryptedKeys, "jwks_uri", 1), (.failing(.notFound), "the status is 404", 1),
        ] as [(TestIdentityProvider.Behaviour, String, Int)])
    func `what is not a key set of the issuer is an outage`(
        behaviour: TestIdentityProvider.Behaviour, expected: String, requests: Int
    ) async throws {
        try await TestIdentityProvider.run([key]) { provider in
            provider.behave(behaviour)
            let cause = try await cause(outcome(provider, Self.providers(provider)))
            #expect(cause.contains(expected), "\(cause)")
            #expect(provider.requestCount == requests)
        }
    }

    @Test func `a provider that does not respond is given up`() async throws {
        try await TestIdentityProvider.run([key]) { provider in
            provider.behave(.hanging)
            let providers = try Self.providers(provider, timeout: .milliseconds(50))
            let cause = try await cause(outcome(provider, providers))
            #expect(cause.contains("did not arrive in time"))
        }
    }
}
