public import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets

/// A provider of OpenID Connect on a port chosen by the kernel, over TLS: its configuration and its
/// keys.
public final class TestIdentityProvider: Sendable {
    public enum Behaviour: Sendable {
        case working
        /// It accepts requests, and does not respond.
        case hanging
        case garbage
        case huge
        case redirecting
        /// The configuration names another issuer.
        case otherIssuer
        /// The keys are at an address without TLS.
        case unencryptedKeys
        case failing(HTTPStatus)
    }

    private struct State {
        var issuer = ""
        var keys: [TestSigningKey]
        var behaviour = Behaviour.working
        var cacheControl = "max-age=600"
    }

    /// PEM of the authority of its certificate.
    public let authorities: [UInt8]
    private let state: Lock<State>
    private let requests = Counter()
    private let end = Signal()

    private init(_ keys: [TestSigningKey], _ certificates: TestCertificates) {
        authorities = Array(certificates.authority.certificatePEM.utf8)
        state = Lock(State(keys: keys))
    }

    /// Its claim `iss`, and the URL of its configuration without the end.
    public var issuer: String { state.withLock { $0.issuer } }

    /// The number of requests so far.
    public var requestCount: Int { requests.value }

    public func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Publishes these keys instead of the former ones.
    public func publish(_ keys: [TestSigningKey]) { state.withLock { $0.keys = keys } }

    /// Serves while the body runs. The body has its own thread and may block.
    public static func run(
        _ keys: [TestSigningKey], _ body: (TestIdentityProvider) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let provider = TestIdentityProvider(keys, certificates)
        let tls = try TLSServer(
            [certificates.pair(["127.0.0.1"])], protocols: ["http/1.1"], system: .real)
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/.well-known/openid-configuration") { _, _ in
            await provider.response { state in
                let keys =
                    if case .unencryptedKeys = state.behaviour {
                        state.issuer.replacing("https:", with: "http:")
                    } else { state.issuer }
                let other = if case .otherIssuer = state.behaviour { "/" } else { "" }
                return #"{"issuer":"\#(state.issuer)\#(other)","jwks_uri":"\#(keys)/keys?v=1"}"#
            }
        }
        routes.on(.get, "/keys") { _, _ in
            await provider.response { state in
                #"{"keys":[\#(state.keys.map(\.publicKey).joined(separator: ","))]}"#
            }
        }
        routes.on(.get, "/elsewhere") { _, _ in HTTPResponse(.notFound) }
        try await TestServer.run(routes.build(), with: .local { $0.tls = tls }) { server in
            provider.state.withLock { $0.issuer = "https://127.0.0.1:\(server.address.port)" }
            defer { provider.end.give() }
            try await body(provider)
        }
    }

    private func response(_ text: @Sendable (State) -> String) async -> HTTPResponse {
        requests.next()
        let state = state.withLock { $0 }
        switch state.behaviour {
        case .hanging:
            await end.wait()
            return HTTPResponse(.noContent)
        case .garbage: return HTTPResponse(.ok, body: .bytes(Array("<html>".utf8)))
        case .huge:
            return HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0x20, count: 300 << 10)))
        case .redirecting:
            return HTTPResponse(.found, fields: [.location: "\(state.issuer)/elsewhere"])
        case .failing(let status): return HTTPResponse(status)
        case .working, .otherIssuer, .unencryptedKeys:
            return HTTPResponse(
                .ok,
                fields: [
                    .contentType: "application/json", .cacheControl: state.cacheControl,
                ], body: .bytes(Array(text(state).utf8)))
        }
    }
}
