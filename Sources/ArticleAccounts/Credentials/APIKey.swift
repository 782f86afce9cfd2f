public import ArticleAPI
public import ArticleServiceCore
public import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer
public import BroadsheetPlatform

/// A new API key: `bsk_<public id>_<secret>`, shown once and never stored.
public struct APIKey: Sendable {
    /// The complete key, as clients send it after `Bearer`.
    public let text: String
    /// The record that is stored.
    public let record: KeyRecord

    static let prefix = "bsk_"

    /// Creates a key with 256 random bits.
    ///
    /// - Parameters:
    ///   - name: 1 to 100 characters.
    ///   - role: The role that it grants.
    ///   - owner: The user that it acts for.
    ///   - time: The current time.
    ///   - expiresAt: The time at which it expires; `nil` if it does not.
    ///   - system: Its random numbers become the key.
    public init(
        name: String, role: Role, owner: User.ID? = nil, at time: Timestamp,
        expiresAt: Timestamp? = nil, system: SystemEnvironment
    ) {
        let id = ByteText.hexadecimal(system.randomBytes(8))
        text = Self.prefix + id + "_" + ByteText.base64URL(system.randomBytes(32))
        record = KeyRecord(
            id: id, digest: Digest.sha256(text.utf8), name: name, role: role.rawValue,
            createdAt: time, expiresAt: expiresAt, owner: owner)
    }

    /// The public id in a key's text; `nil` if the text is not such a key.
    package static func publicID(of text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(
            separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, parts[1].utf8.count == 43 else {
            return nil
        }
        return String(parts[0])
    }
}

extension RequestSender {
    /// The sender of a key that was rejected, for the log: nothing proves that it is the sender's.
    package static func unverified(in fields: HTTPFields) -> RequestSender? {
        let scheme = "bearer "
        guard let text = fields[.authorization], text.utf8.count <= 200,
            text.prefix(scheme.count).lowercased() == scheme,
            let id = APIKey.publicID(of: String(text.dropFirst(scheme.count))),
            UInt64(id, radix: 16) != nil
        else { return nil }
        return RequestSender(key: id)
    }
}

/// The admin key chosen by the operator: kept in memory as a digest, never stored in the file.
public struct OperatorKey: Sendable {
    package let digest: [UInt8]

    /// Accepts a `SharedSecret` (RFC 6750 §2.1 allows no other characters in a field).
    public init?(_ text: String) {
        guard let secret = SharedSecret(text) else { return nil }
        self.init(secret)
    }

    public init(_ secret: SharedSecret) { digest = Digest.sha256(secret.bytes) }
}
