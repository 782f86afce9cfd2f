package import ArticleAPI
import ArticleServiceCore
import BroadsheetPlatform

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

/// The claims of an ID token (OpenID Connect Core 1.0 §2) that decide whether it is accepted.
package struct IdentityClaims: Sendable, Hashable {
    package let issuer: String
    /// Identifies the user among those of the issuer: 1 to 255 ASCII characters.
    package let subject: String
    package let audiences: [String]
    /// The client that requested the token (`azp`).
    let authorizedParty: String?
    package let expiresAt: Timestamp
    let issuedAt: Timestamp
    let notBefore: Timestamp?
    /// The SHA-256 of the client's nonce, in hexadecimal.
    let nonce: String

    /// The maximum difference of the provider's clock.
    private static let skewMilliseconds: Int64 = 60_000
    /// The maximum age of a token.
    private static let ageMilliseconds: Int64 = 10 * 60_000

    init(_ members: JSONMembers) throws(IdentityTokenFault) {
        guard let issuer = members.text("iss") else { throw .claim("iss") }
        guard let subject = members.text("sub"), (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .claim("sub") }
        guard let audiences = Self.audiences(members["aud"]) else { throw .claim("aud") }
        guard let nonce = members.text("nonce") else { throw .claim("nonce") }
        self.issuer = issuer
        self.subject = subject
        self.audiences = audiences
        self.nonce = nonce
        switch members["azp"] {
        case nil: authorizedParty = nil
        case .string(let party)?: authorizedParty = party
        default: throw .claim("azp")
        }
        guard let expiresAt = Self.time(members["exp"]) else { throw .claim("exp") }
        guard let issuedAt = Self.time(members["iat"]) else { throw .claim("iat") }
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        notBefore = Self.time(members["nbf"])
        guard members["nbf"] == nil || notBefore != nil else { throw .claim("nbf") }
    }

    /// One text, or an array of them.
    private static func audiences(_ value: JSONValue?) -> [String]? {
        switch value {
        case .string(let audience): return [audience]
        case .array(let items):
            var audiences: [String] = []
            for item in items {
                guard case .string(let audience) = item else { return nil }
                audiences.append(audience)
            }
            return audiences.isEmpty ? nil : audiences
        default: return nil
        }
    }

    /// Seconds since 1970, perhaps with a fraction (RFC 7519 §2).
    private static func time(_ value: JSONValue?) -> Timestamp? {
        guard case .number(let number)? = value else { return nil }
        let milliseconds = number.double * 1_000
        guard milliseconds.isFinite, milliseconds >= 0,
            milliseconds <= Double(Timestamp.range.upperBound)
        else { return nil }
        return Timestamp(milliseconds: Int64(milliseconds))
    }

    /// Until when the token is accepted: 10 minutes after it was issued, or until it expires.
    var acceptedUntil: Timestamp {
        min(expiresAt, issuedAt.advanced(byMilliseconds: Self.ageMilliseconds))
            .advanced(byMilliseconds: Self.skewMilliseconds)
    }

    /// Rejects claims that are not for this server, not of this sign-in, or not of this time.
    package func check(
        for provider: OpenIDProvider, nonce sent: String, at time: Timestamp
    ) throws(IdentityTokenFault) {
        guard provider.isIssuer(issuer) else { throw .issuer }
        guard audiences.contains(where: { $0.hasBytes(of: provider.audience) }) else {
            throw .audience
        }
        // OpenID Connect Core 1.0 §3.1.3.7, steps 4 and 5.
        guard let party = authorizedParty ?? (audiences.count > 1 ? nil : provider.audience),
            provider.isParty(party)
        else { throw .authorizedParty }
        let limit = time.advanced(byMilliseconds: Self.skewMilliseconds)
        guard issuedAt <= limit, notBefore.map({ $0 <= limit }) ?? true else {
            throw .notYetValid
        }
        guard time < expiresAt.advanced(byMilliseconds: Self.skewMilliseconds) else {
            throw .expired
        }
        guard time < acceptedUntil else { throw .tooOld }
        let digest = ByteText.hexadecimal(Digest.sha256(sent.utf8))
        guard Digest.areEqual(Array(nonce.utf8), Array(digest.utf8)) else { throw .nonce }
    }
}
