public import ArticleAPI
public import ArticleStore

/// A new API key: `bsk_<public id>_<secret>`, shown once and never stored.
public struct APIKey: Sendable {
    /// The complete key, as clients send it after `Bearer`.
    public let text: String
    /// The record that is stored.
    public let record: KeyRecord

    static let prefix = "bsk_"

    /// Creates a key with 256 random bits.
    public init(name: String, role: Role, at time: Timestamp, expiresAt: Timestamp? = nil) {
        let id = ByteText.hexadecimal(Digest.random(8))
        text = Self.prefix + id + "_" + ByteText.base64URL(Digest.random(32))
        record = KeyRecord(
            id: id, digest: Digest.sha256(text.utf8), name: name, role: role.rawValue,
            createdAt: time, expiresAt: expiresAt)
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

    /// The prefix of a key in `Authorization`, and the length of both in bytes.
    private static let bearer: StaticString = "bearer "
    private static let credentialsLength = 71

    /// The public id as a number, if the credentials have the usual form: `Bearer`, one space and a
    /// key; otherwise `nil`.
    static func publicNumber(of authorization: borrowing Span<UInt8>) -> UInt64? {
        guard authorization.count == credentialsLength else { return nil }
        for index in 0..<bearer.utf8CodeUnitCount {
            // This bit distinguishes lower-case from upper-case letters; it is set in a space.
            guard authorization[index] | 0x20 == bearer.utf8Start[index] else { return nil }
        }
        var number: UInt64 = 0
        // Invariant: `number` contains the digits before `index`.
        for index in 11..<27 {
            switch authorization[index] {
            case let digit where 48...57 ~= digit: number = number << 4 | UInt64(digit - 48)
            case let digit where 97...102 ~= digit: number = number << 4 | UInt64(digit - 87)
            default: return nil
            }
        }
        return number
    }
}

/// The admin key chosen by the operator: kept in memory as a digest, never stored in the file.
public struct OperatorKey: Sendable {
    let digest: [UInt8]

    /// Accepts 32 to 200 printable ASCII characters (RFC 6750 §2.1 allows no others in a field).
    public init?(_ text: String) {
        guard (32...200).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        digest = Digest.sha256(text.utf8)
    }
}
