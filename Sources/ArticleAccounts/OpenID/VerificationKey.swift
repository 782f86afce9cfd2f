import ArticleAPI
import ArticleServiceCore
import BroadsheetPlatform
import CBroadsheetOpenSSL

/// A public key of a provider, and the one algorithm that it verifies.
///
/// Safe to use from any thread.
package final class VerificationKey: @unchecked Sendable {
    // `@unchecked`: a complete `EVP_PKEY` may be used by any thread, and is not changed.
    private let handle: OpaquePointer
    let id: String?
    let algorithm: IdentityToken.Algorithm

    /// The sizes of RSA keys, in bits: smaller ones are insecure, larger ones slow.
    private static let modulusBits = 2_048...8_192

    deinit { EVP_PKEY_free(handle) }

    /// A key of a set (RFC 7517 §4); `nil` if it does not verify signatures of an algorithm that is
    /// accepted, or is not a safe key.
    init?(_ members: JSONMembers) {
        guard members["use"] == nil || members.text("use") == "sig" else { return nil }
        if let operations = members["key_ops"] {
            guard case .array(let items) = operations, items.contains(.string("verify")) else {
                return nil
            }
        }
        let made: (OpaquePointer?, IdentityToken.Algorithm)
        switch members.text("kty") {
        case "EC": made = (Self.curveKey(members), .es256)
        case "RSA": made = (Self.modulusKey(members), .rs256)
        default: return nil
        }
        guard let handle = made.0 else {
            // The failure is in the thread's error queue, where TLS would find it.
            ERR_clear_error()
            return nil
        }
        self.handle = handle
        algorithm = made.1
        id = members.text("kid")
        guard members["alg"] == nil || members.text("alg") == algorithm.rawValue,
            members["kid"] == nil || id != nil
        else { return nil }
    }

    /// A point on P-256 (RFC 7518 §6.2).
    private static func curveKey(_ members: JSONMembers) -> OpaquePointer? {
        guard members.text("crv") == "P-256",
            let x = members.text("x").flatMap({ ByteText.bytes(base64URL: $0) }), x.count == 32,
            let y = members.text("y").flatMap({ ByteText.bytes(base64URL: $0) }), y.count == 32
        else { return nil }
        // 4: an uncompressed point (SEC 1 §2.3.3).
        return broadsheet_p256_public_key([4] + x + y)
    }

    /// A modulus and an exponent (RFC 7518 §6.3).
    private static func modulusKey(_ members: JSONMembers) -> OpaquePointer? {
        guard let modulus = number(members.text("n")), let exponent = number(members.text("e")),
            let first = modulus.first, let last = exponent.last,
            modulusBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
            // An exponent of 1 would make every text its own signature.
            exponent.count <= 4, last & 1 == 1, exponent != [1]
        else { return nil }
        return broadsheet_rsa_public_key(
            modulus, Int32(modulus.count), exponent, Int32(exponent.count))
    }

    /// The bytes of a number, without zeros before it.
    private static func number(_ text: String?) -> [UInt8]? {
        text.flatMap { ByteText.bytes(base64URL: $0) }.map { Array($0.drop { $0 == 0 }) }
    }

    // MARK: Signatures

    /// Returns true if the signature of the token is by this key (`EVP_DigestVerify`).
    func verifies(_ token: IdentityToken) -> Bool {
        guard token.algorithm == algorithm, let signature = encoded(token.signature) else {
            return false
        }
        // The failure is in the thread's error queue, where TLS would find it.
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, handle, nil) == 1
            && EVP_DigestVerify(
                context, signature, signature.count, token.signingInput, token.signingInput.count)
                == 1
    }

    /// The signature as OpenSSL takes it. One of ES256 is two numbers of 32 bytes (RFC 7518 §3.4),
    /// which become ASN.1 (`i2d_ECDSA_SIG`).
    private func encoded(_ signature: [UInt8]) -> [UInt8]? {
        guard algorithm == .es256 else { return signature }
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let r = BN_bin2bn(Array(signature[..<32]), 32, nil)
        let s = BN_bin2bn(Array(signature[32...]), 32, nil)
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        let length = Int(i2d_ECDSA_SIG(pair, nil))
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: length) { output, count in
            var position = output.baseAddress
            count = Int(max(0, i2d_ECDSA_SIG(pair, &position)))
        }
    }
}

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
