import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// A provider whose documents and clock a test sets, and the server that trusts it.
final class OpenIDFixture: Sendable {
    struct State {
        var now = Timestamp(milliseconds: 1_800_000_000_000)
        /// The members of the key set, as JSON.
        var keys: [String]
        var maxAgeSeconds: Int64? = 600
        /// The configuration, if it is not the usual one.
        var configuration: String?
        /// The reason why no document can be fetched.
        var failure: HTTPClientError?
        /// Fetches of the first provider wait for it.
        var gate: Signal?
        var fetched: [String] = []
        var log: [String] = []
    }

    static let issuer = "https://id.example.org/a"
    static let audience = "org.example.app"
    static let nonce = "nonce-of-the-client"
    static let otherIssuer = "https://other.example.org"
    /// A provider whose tokens other clients may request, too.
    static let google = "https://accounts.google.com"
    static let party = "1234-android.apps.googleusercontent.com"

    /// Keys of a whole run, as generating them takes long.
    static let curve = Result { try TestSigningKey(.p256, id: "c1") }
    static let rsa = Result { try TestSigningKey(.rsa(bits: 2_048), id: "r1") }

    let state: Lock<State>
    private let environment: OutboundEnvironment
    /// The providers of the last run.
    private let current: Lock<OpenIDProviders>

    /// - Parameter keys: JSON Web Keys; by default those of `curve` and `rsa`.
    init(_ keys: [String]? = nil) throws {
        let both = try [Self.curve.get().publicKey, Self.rsa.get().publicKey]
        let state = Lock(State(keys: keys ?? both))
        self.state = state
        environment = OutboundEnvironment(
            agent: "a",
            exchange: { request, origin, _ throws(HTTPClientError) in
                try await Self.document("\(origin)\(request.target)", state)
            },
            system: .clock { state.withLock { $0.now } })
        current = Lock(try Self.providers(environment, state))
    }

    private static func providers(
        _ environment: OutboundEnvironment, _ state: Lock<State>
    ) throws -> OpenIDProviders {
        OpenIDProviders(
            [
                try OpenIDProvider("main=\(issuer),\(audience)"),
                try OpenIDProvider("other=\(otherIssuer),\(audience)"),
                try OpenIDProvider("google=\(google),\(audience),\(party)"),
            ], in: environment, log: { line in state.withLock { $0.log.append(line) } })
    }

    private static func document(
        _ url: String, _ state: Lock<State>
    ) async throws(HTTPClientError) -> HTTPResponse {
        let other = [otherIssuer, google].first { url.hasPrefix($0) }
        let gate = state.withLock { state in
            state.fetched.append(url)
            return state.gate
        }
        if other == nil, let gate { await gate.wait() }
        let now = state.withLock { $0 }
        if let failure = now.failure { throw failure }
        let issuer = other ?? issuer
        if url == issuer + "/.well-known/openid-configuration" {
            let usual = #"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#
            return HTTPResponse(.ok, body: .bytes(Array((now.configuration ?? usual).utf8)))
        }
        let keys = #"{"keys":[\#(now.keys.joined(separator: ","))]}"#
        let fields: HTTPFields =
            if let seconds = now.maxAgeSeconds { [.cacheControl: "max-age=\(seconds)"] } else {
                [:]
            }
        return HTTPResponse(.ok, fields: fields, body: .bytes(Array(keys.utf8)))
    }

    /// The number of times that the key set was fetched.
    var fetchCount: Int { state.withLock { $0.fetched.count { $0.hasSuffix("/keys") } } }

    func advance(seconds: Int64) {
        state.withLock { $0.now = $0.now.advanced(byMilliseconds: seconds * 1_000) }
    }

    /// Runs the body while keys can be fetched; there are none at the beginning.
    func run(_ body: () async throws -> Void) async throws {
        let providers = try Self.providers(environment, state)
        current.withLock { $0 = providers }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await providers.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    func verify(
        _ token: String, nonce: String = OpenIDFixture.nonce, with provider: String = "main"
    ) async throws(ServiceError) -> VerifiedIdentity {
        let providers = current.withLock { $0 }
        return try await providers.verify(provider: provider, idToken: token, nonce: nonce)
    }

    /// The reason why the token is rejected with 401; `nil` if it is accepted.
    func rejection(
        of token: String, nonce: String = OpenIDFixture.nonce, with provider: String = "main"
    ) async throws -> String? {
        do throws(ServiceError) {
            _ = try await verify(token, nonce: nonce, with: provider)
            return nil
        } catch {
            guard case .unauthenticated(.identityToken(let reason)) = error else { throw error }
            return reason
        }
    }

    /// The cause of a 503.
    func outage(of token: String, with provider: String = "main") async throws -> String {
        do throws(ServiceError) {
            _ = try await verify(token, with: provider)
        } catch {
            guard case .unavailable(let cause) = error else { throw error }
            return cause
        }
        throw TestFailure("the token was accepted")
    }

    /// A token of this provider that is accepted, unless a test changes its claims.
    func token(
        _ changes: [String: String?] = [:], header: String? = nil, by key: TestSigningKey? = nil
    ) throws -> String {
        try (key ?? Self.curve.get()).token(header: header, claims(changes))
    }

    /// The claims as JSON: those that are accepted with changes, each with its JSON value; `nil`
    /// removes one.
    func claims(_ changes: [String: String?] = [:]) -> String {
        let seconds = state.withLock { $0.now.milliseconds / 1_000 }
        var claims: [String: String?] = [
            "iss": #""\#(Self.issuer)""#, "sub": #""001.ab.0042""#,
            "aud": #""\#(Self.audience)""#, "iat": "\(seconds)", "exp": "\(seconds + 3_600)",
            "nonce": #""\#(ByteText.hexadecimal(Digest.sha256(Self.nonce.utf8)))""#,
        ]
        claims.merge(changes) { $1 }
        let members = claims.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
        return "{\(members.sorted().joined(separator: ","))}"
    }
}
