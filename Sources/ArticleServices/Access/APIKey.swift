public import ArticleAPI
public import ArticleStore

/// A new API key: `bsk_<public id>_<secret>`, shown once and never kept.
public struct APIKey: Sendable {
    /// The whole key, as a caller sends it behind `Bearer`.
    public let text: String
    /// What is kept of it.
    public let record: KeyRecord

    static let prefix = "bsk_"

    /// A key with 256 random bits.
    public init(name: String, role: Role, at time: Timestamp, expiresAt: Timestamp? = nil) {
        let id = ByteText.hexadecimal(Digest.random(8))
        text = Self.prefix + id + "_" + ByteText.base64URL(Digest.random(32))
        record = KeyRecord(
            id: id, digest: Digest.sha256(text.utf8), name: name, role: role.rawValue,
            createdAt: time, expiresAt: expiresAt)
    }

    /// The public id in a key's text; `nil` if it is no such key.
    package static func publicID(of text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(
            separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, parts[1].utf8.count == 43 else {
            return nil
        }
        return String(parts[0])
    }

    /// What stands before a key in `Authorization`, and of how many octets both are.
    private static let bearer: StaticString = "bearer "
    private static let credentialsLength = 71

    /// The number of the public id in credentials as clients send them: `Bearer`, one space and a
    /// key; `nil` for any others.
    static func publicNumber(of authorization: borrowing Span<UInt8>) -> UInt64? {
        guard authorization.count == credentialsLength else { return nil }
        for index in 0..<bearer.utf8CodeUnitCount {
            // A letter and its capital differ by this bit, and a space has it.
            guard authorization[index] | 0x20 == bearer.utf8Start[index] else { return nil }
        }
        var number: UInt64 = 0
        // Invariant: the digits before `index` are in `number`.
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

/// The admin key that the operator chose: kept in memory as a digest, never in the file.
public struct OperatorKey: Sendable {
    let digest: [UInt8]

    /// Takes 32 to 200 printable ASCII characters (RFC 6750 §2.1 allows no others in a field).
    public init?(_ text: String) {
        guard (32...200).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        digest = Digest.sha256(text.utf8)
    }
}
