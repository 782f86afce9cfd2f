import ArticleAPI

/// The keys of a provider that verify ID tokens (RFC 7517 §5). Keys of other kinds are left out.
///
/// Safe to use from any thread. Two sets that were fetched are never the same object.
package final class KeySet: Sendable {
    private let keys: [VerificationKey]

    private static let limit = 64

    package init(_ bytes: [UInt8]) throws(OpenIDFailure) {
        guard let members = JSONMembers(bytes), case .array(let items)? = members["keys"] else {
            throw OpenIDFailure(reason: "the key set is not a JSON object with keys")
        }
        guard items.count <= Self.limit else {
            throw OpenIDFailure(reason: "the key set has more than \(Self.limit) keys")
        }
        keys = items.compactMap { JSONMembers($0).flatMap { VerificationKey($0) } }
        guard !keys.isEmpty else {
            throw OpenIDFailure(
                reason: "the key set has no key for ES256 (P-256) or RS256 (2,048 to 8,192 bits)")
        }
    }

    /// Returns true if a key has the name that the token mentions.
    func hasKey(of token: IdentityToken) -> Bool {
        guard let id = token.keyID else { return true }
        return keys.contains { $0.id?.hasBytes(of: id) ?? false }
    }

    /// The only key that the token can be signed with: the one that it names, or the only one if it
    /// does not name any.
    package func key(of token: IdentityToken) throws(IdentityTokenFault) -> VerificationKey {
        guard let id = token.keyID else {
            guard keys.count == 1 else { throw .unnamedKey }
            return try Self.only(keys, for: token)
        }
        let named = keys.filter { $0.id?.hasBytes(of: id) ?? false }
        guard !named.isEmpty else { throw .unknownKey }
        return try Self.only(named, for: token)
    }

    private static func only(
        _ keys: [VerificationKey], for token: IdentityToken
    ) throws(IdentityTokenFault) -> VerificationKey {
        let fitting = keys.filter { $0.algorithm == token.algorithm }
        guard let key = fitting.first, fitting.count == 1 else { throw .otherKey }
        return key
    }

    /// Returns true if the token is signed with one of the keys.
    package func verifies(_ token: IdentityToken) -> Bool {
        guard let key = try? key(of: token) else { return false }
        return key.verifies(token)
    }
}
