import ArticleAPI
import ArticleServiceCore

/// An ID token of OpenID Connect: a JSON Web Token (RFC 7519) signed in the compact form of RFC
/// 7515, read but not yet verified.
///
/// Its text is secret until it has been used.
package struct IdentityToken: Sendable {
    /// The algorithms that are accepted (RFC 7518 §3.1): never one without a signature or with a
    /// shared secret.
    enum Algorithm: String, Sendable {
        /// ECDSA with P-256 and SHA-256.
        case es256 = "ES256"
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = "RS256"
    }

    let algorithm: Algorithm
    /// Names the key among those of the provider (`kid`).
    let keyID: String?
    package let claims: IdentityClaims
    /// Header and claims as they were sent, which are signed.
    package let signingInput: [UInt8]
    package let signature: [UInt8]

    package static let limitBytes = 16 << 10

    package init(_ text: String) throws(IdentityTokenFault) {
        guard text.utf8.count <= Self.limitBytes else { throw .tooLong }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.members(parts[0]),
            let claims = Self.members(parts[1]),
            let signature = ByteText.bytes(base64URL: String(parts[2]))
        else { throw .malformed }
        // Keys in the header (`jwk`, `x5c`) and addresses of keys (`jku`, `x5u`) are not even read:
        // only the configured provider names its own keys.
        guard header["crit"] == nil else { throw .critical }
        // An access token has the type `at+jwt` (RFC 9068 §2.1).
        if let type = header["typ"] {
            guard case .string(let name) = type, name.lowercased() == "jwt" else { throw .type }
        }
        guard case .string(let name)? = header["alg"], let algorithm = Algorithm(rawValue: name)
        else { throw .algorithm }
        self.algorithm = algorithm
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let name)?: keyID = name
        default: throw .malformed
        }
        self.claims = try IdentityClaims(claims)
        self.signature = signature
        signingInput = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    /// Identifies the token. It does not depend on the signature: from a signature of ECDSA,
    /// another valid one can be computed.
    package var digest: [UInt8] { Digest.sha256(signingInput) }

    private static func members(_ part: Substring) -> JSONMembers? {
        ByteText.bytes(base64URL: String(part)).flatMap { JSONMembers($0) }
    }
}

/// The reason why an ID token is rejected. Its reason contains nothing of the token. See
/// ``IdentityToken``.
package enum IdentityTokenFault: Error, Sendable, Hashable {
    case tooLong, malformed, critical, type, algorithm
    /// This claim is missing or has the wrong form.
    case claim(String)
    case issuer, audience, authorizedParty
    case expired, tooOld, notYetValid
    case nonce
    case unknownKey, unnamedKey, otherKey
    case signature

    /// The reason, as words that follow "The identity token".
    var reason: String {
        switch self {
        case .tooLong: "has more than \(IdentityToken.limitBytes) bytes"
        case .malformed: "is not a signed JSON Web Token in the compact form"
        case .critical: "has critical header parameters (crit), which are not supported"
        case .type: "has a type other than JWT"
        case .algorithm: "is not signed with ES256 or RS256"
        case .claim(let name): "has no valid claim \(name)"
        case .issuer: "was issued by another provider"
        case .audience: "is for another audience"
        case .authorizedParty:
            "was requested by another client: azp is neither the audience nor one of its parties"
        case .expired: "has expired"
        case .tooOld: "was issued more than 10 minutes ago"
        case .notYetValid: "is not yet valid: its times are in the future"
        case .nonce: "has the wrong nonce: it must be the SHA-256 of the one sent, in hexadecimal"
        case .unknownKey: "is signed with a key that the provider does not publish"
        case .unnamedKey: "has no kid, and the provider has several keys"
        case .otherKey: "has an algorithm that does not fit its key"
        case .signature: "has an invalid signature"
        }
    }
}

/// The members of a JSON object in a text of a provider. Each name occurs once.
struct JSONMembers {
    private let members: [JSONValue.Member]

    /// `nil` if the text is not a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONParser.parse(bytes) else { return nil }
        self.init(value)
    }

    init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        self.members = members
    }

    subscript(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// The text with this name; `nil` if it is missing or of another kind.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }
}

extension String {
    /// Returns true if both have the same bytes. Swift's `==` also accepts canonically equivalent
    /// texts.
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
