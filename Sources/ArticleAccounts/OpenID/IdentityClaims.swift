package import ArticleAPI
import ArticleServiceCore

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
