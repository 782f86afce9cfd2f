import ArticleServiceCore
import BroadsheetPlatform

/// A secret text of one session: `<prefix><public id of the session>_<256 bits in base64url>`. A
/// refresh token has a mark of 128 bits after them.
///
/// Only its digest is stored.
package protocol SessionToken: Sendable, Hashable {
    /// Names the kind of token; 4 bytes.
    static var prefix: String { get }
    /// The bytes after the id.
    static var secretLengths: [Int] { get }
    /// 16 lower-case hexadecimal digits, for look-up.
    var sessionID: String { get }
    /// As clients send it.
    var text: String { get }

    init(sessionID: String, text: String)
}

extension SessionToken {
    /// A token with this secret.
    init(of sessionID: String, secret: [UInt8]) {
        self.init(
            sessionID: sessionID,
            text: Self.prefix + sessionID + "_" + ByteText.base64URL(secret))
    }

    /// The token that a client sent; `nil` if it is malformed. Only its digest shows if it was ever
    /// issued.
    package init?(_ text: String) {
        // 4 of the prefix, 16 of the id, the separator, and 43 or 64 of the secret.
        guard (64...85).contains(text.utf8.count), text.utf8.starts(with: Self.prefix.utf8) else {
            return nil
        }
        let bytes = Array(text.utf8)
        guard bytes[20] == UInt8(ascii: "_") else { return nil }
        let id = bytes[4..<20]
        let isHexadecimal = id.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: false
            }
        }
        guard isHexadecimal,
            let secret = ByteText.bytes(base64URL: String(decoding: bytes[21...], as: UTF8.self)),
            Self.secretLengths.contains(secret.count)
        else { return nil }
        self.init(sessionID: String(decoding: id, as: UTF8.self), text: text)
    }

    /// The digest that is stored (SHA-256).
    package var digest: [UInt8] { Digest.sha256(text.utf8) }

    /// Returns true if the stored digest is of this token, in constant time.
    package func hasDigest(_ stored: [UInt8]) -> Bool { Digest.areEqual(digest, stored) }
}

/// Authenticates the requests of a session for some minutes. See ``SessionTokens``.
package struct AccessToken: SessionToken {
    package static let prefix = "bsa_"
    package static let secretLengths = [32]
    package let sessionID: String
    package let text: String

    package init(sessionID: String, text: String) {
        self.sessionID = sessionID
        self.text = text
    }
}

/// Renews the tokens of a session, once. See ``SessionTokens``.
package struct RefreshToken: SessionToken {
    package static let prefix = "bsr_"
    /// With a mark, and without one as older versions made them.
    package static let secretLengths = [32, 48]
    package let sessionID: String
    package let text: String

    package init(sessionID: String, text: String) {
        self.sessionID = sessionID
        self.text = text
    }

    /// A token with this secret of 32 bytes, and a mark.
    ///
    /// - Parameter key: The server's secret.
    fileprivate init(of sessionID: String, secret: [UInt8], key: [UInt8]) {
        let mark = Self.mark(of: sessionID, secret, key: key)
        self.init(of: sessionID, secret: secret + mark)
    }

    private static func mark(
        of sessionID: String, _ secret: some Collection<UInt8>, key: [UInt8]
    ) -> [UInt8] {
        // No successor is derived from a text that begins like this.
        Array(Digest.hmac(Array("mark of \(sessionID) ".utf8) + secret, key: key).prefix(16))
    }

    /// Returns true if the server made this token for its session, now or long ago.
    ///
    /// Public ids of sessions are not secret, so anyone can make up a token of a session; its mark
    /// is not valid. Nor is there one in a token of an older version.
    ///
    /// - Parameter secret: The secret of the server.
    package func isMarked(by secret: [UInt8]) -> Bool {
        guard let bytes = ByteText.bytes(base64URL: String(text.dropFirst(21))), bytes.count == 48
        else { return false }
        let mark = Self.mark(of: sessionID, bytes.prefix(32), key: secret)
        return Digest.areEqual(mark, Array(bytes.suffix(16)))
    }

    /// The tokens that replace this one: always the same, so that they can be given again after a
    /// lost response without being stored.
    ///
    /// - Parameter secret: The server's; without it, a token discloses nothing of its successors.
    package func successor(secret: [UInt8]) -> SessionTokens {
        SessionTokens(
            access: AccessToken(
                of: sessionID, secret: derived(AccessToken.prefix, secret: secret)),
            refresh: RefreshToken(
                of: sessionID, secret: derived(RefreshToken.prefix, secret: secret), key: secret))
    }

    /// The access token that is given out while the successor cannot be stored: always the same, so
    /// that processes that share this token do not take each other's away.
    func substitute(secret: [UInt8]) -> AccessToken {
        AccessToken(of: sessionID, secret: derived("substitute", secret: secret))
    }

    /// The purpose separates the secrets of tokens from each other, and from other uses of the
    /// server's secret.
    private func derived(_ purpose: String, secret: [UInt8]) -> [UInt8] {
        Digest.hmac(Array("\(purpose) after \(text)".utf8), key: secret)
    }
}

/// The two tokens of a session, as a client receives them at sign-in and with each renewal.
///
/// Its texts are secret.
package struct SessionTokens: Sendable, Hashable {
    package let access: AccessToken
    package let refresh: RefreshToken

    init(access: AccessToken, refresh: RefreshToken) {
        self.access = access
        self.refresh = refresh
    }

    /// The tokens of a new session, from random numbers of the system.
    ///
    /// - Parameter secret: The server's, with which refresh tokens are marked.
    init(secret: [UInt8], system: SystemEnvironment) {
        let id = ByteText.hexadecimal(system.randomBytes(8))
        access = AccessToken(of: id, secret: system.randomBytes(32))
        refresh = RefreshToken(of: id, secret: system.randomBytes(32), key: secret)
    }
}
