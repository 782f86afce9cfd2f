import ArticleAPI
public import ArticleServiceCore
import BroadsheetPlatform

/// Verifies the ID tokens of the providers that the operator trusts.
///
/// Keys are fetched while `run` is called. Safe to use from any thread.
public final class OpenIDProviders: Sendable {
    private let providers: [String: ProviderKeys]
    private let now: @Sendable () -> Timestamp
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
        now = environment.now
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
            try token.claims.check(for: keys.provider, nonce: nonce, at: now())
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
