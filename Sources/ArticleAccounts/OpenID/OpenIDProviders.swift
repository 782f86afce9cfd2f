import ArticleAPI
public import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform

/// Verifies the ID tokens of the providers that the operator trusts.
///
/// Keys are fetched while `run` is called. Safe to use from any thread.
public final class OpenIDProviders: Sendable {
    private let providers: [String: ProviderKeys]
    private let system: SystemEnvironment
    /// A signature takes up to a millisecond, which loops do not have.
    private let pool = BlockingPool(label: "broadsheet.openid", width: 1, depth: 1_024)

    public static let most = 16
    /// A shorter nonce could be found from its digest.
    private static let nonceBytes = 16...255

    /// - Parameters:
    ///   - providers: at most `most`, with different names.
    ///   - log: receives the causes of failures that clients do not notice.
    public init(
        _ providers: [OpenIDProvider], in environment: OutboundEnvironment,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.providers = Dictionary(
            providers.map { ($0.name, ProviderKeys($0, environment, log: log)) },
            uniquingKeysWith: { first, _ in first })
        system = environment.system
    }

    /// The names of the providers, in alphabetical order.
    package var names: [String] { providers.keys.sorted() }

    /// Fetches keys when they are needed, until the task is cancelled. Called once, by the process
    /// that serves.
    public func run() async {
        await withTaskGroup { group in
            for keys in providers.values { group.addTask { await keys.run() } }
        }
    }

    /// The identity that the token proves, if it was issued for this sign-in.
    ///
    /// It is proven only once: the caller then has to use up the token in the store
    /// (`useIdentityToken`), which throws if it was used before.
    ///
    /// - Parameters:
    ///   - provider: Its name in the configuration.
    ///   - nonce: The text of the client whose SHA-256 is in the token.
    func verify(
        provider: String, idToken: String, nonce: String
    ) async throws(ServiceError) -> VerifiedIdentity {
        guard let keys = providers[provider] else {
            throw .invalidValue("/provider", "is not the name of a provider of this server")
        }
        guard Self.nonceBytes.contains(nonce.utf8.count) else {
            throw .invalidValue("/nonce", "must have 16 to 255 bytes")
        }
        let token = try checked { () throws(IdentityTokenFault) in
            let token = try IdentityToken(idToken)
            // Before the signature, so that tokens for others do not cause fetches.
            try token.claims.check(for: keys.provider, nonce: nonce, at: system.now)
            return token
        }
        var set = try await keys.current()
        if !set.hasKey(of: token) { set = try await keys.newer(than: set) }
        let key = try checked { () throws(IdentityTokenFault) in try set.key(of: token) }
        let isGenuine: Bool
        do throws(BlockingPool.Full) {
            isGenuine = try await pool.run { key.verifies(token) }
        } catch { throw .busy }
        guard isGenuine else { throw ServiceError(IdentityTokenFault.signature) }
        return VerifiedIdentity(
            issuer: keys.provider.issuer, subject: token.claims.subject,
            tokenDigest: token.digest, acceptedUntil: token.claims.acceptedUntil)
    }

    private func checked<Value>(
        _ check: () throws(IdentityTokenFault) -> Value
    ) throws(ServiceError) -> Value {
        do throws(IdentityTokenFault) { return try check() } catch { throw ServiceError(error) }
    }
}

extension ServiceError {
    fileprivate init(_ fault: IdentityTokenFault) {
        self = .unauthenticated(.identityToken(reason: fault.reason))
    }
}

/// The user who signs in, according to a provider: an issuer and its name for the user, never an
/// e-mail address, which can pass to another person.
///
/// See ``OpenIDProviders``.
struct VerifiedIdentity: Sendable, Hashable {
    let issuer: String
    let subject: String
    /// Identifies the token, so that it is accepted only once: 32 bytes.
    let tokenDigest: [UInt8]
    /// Until when the token would be accepted, and its use has to be remembered.
    let acceptedUntil: Timestamp
}

/// A provider of OpenID Connect that the operator trusts to identify people.
public struct OpenIDProvider: Sendable, Hashable {
    /// The name by which clients mention it.
    public let name: String
    /// The claim `iss` of its tokens; see `isIssuer`.
    let issuer: String
    /// The claim `aud`: the client's id at this provider.
    package let audience: String
    /// Other clients of this provider that may request tokens for the audience (`azp`).
    let parties: [String]
    /// The URL of its configuration (OpenID Connect Discovery 1.0 §4).
    let discovery: HTTPURL

    /// The fault of a provider's text.
    public enum Fault: Error, Hashable, CustomStringConvertible {
        case form, name, issuer, audience

        public var description: String {
            switch self {
            case .form: "must have the form name=issuer,audience[,party…]"
            case .name:
                "has an invalid name: 1 to 32 lower-case letters, digits and hyphens are allowed, "
                    + "and it must begin with a letter"
            case .issuer:
                "has an invalid issuer: it must be an https URL without user name, query and "
                    + "fragment"
            case .audience:
                "has an invalid audience or party: 1 to 255 printable ASCII characters are "
                    + "allowed, but no spaces and commas, and at most "
                    + "\(OpenIDProvider.limitParties) parties"
            }
        }
    }

    private static let limitParties = 16

    /// Parses `name=issuer,audience[,party…]`.
    public init(_ text: String) throws(Fault) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .form }
        let values = parts[1].split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0) }
        guard values.count >= 2 else { throw .form }
        name = String(parts[0])
        (issuer, audience) = (values[0], values[1])
        parties = Array(values.dropFirst(2))
        guard Self.isName(name) else { throw .name }
        // The path of the configuration comes after that of the issuer, without a final slash.
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        guard !issuer.contains("?"), Self.url(issuer) != nil,
            let discovery = Self.url(base + "/.well-known/openid-configuration")
        else { throw .issuer }
        self.discovery = discovery
        guard parties.count <= Self.limitParties, values.dropFirst().allSatisfy(Self.isClient)
        else { throw .audience }
    }

    /// Returns true if a token's `iss` names this provider: to the letter, except that some of
    /// Google's tokens omit the scheme.
    func isIssuer(_ text: String) -> Bool {
        text.hasBytes(of: issuer)
            || issuer == "https://accounts.google.com" && text.hasBytes(of: "accounts.google.com")
    }

    /// Returns true if this client may request tokens for the audience.
    func isParty(_ client: String) -> Bool {
        client.hasBytes(of: audience) || parties.contains { client.hasBytes(of: $0) }
    }

    /// The URL of a document of a provider: `https`.
    static func url(_ text: String) -> HTTPURL? {
        guard text.hasPrefix("https://") else { return nil }
        return try? HTTPURL(text)
    }

    private static func isClient(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isName(_ name: String) -> Bool {
        guard (1...32).contains(name.utf8.count), let first = name.utf8.first,
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
