public import ArticleAPI
public import ArticleStore
package import HTTP
public import HTTPServer
import Platform

/// The sender of a request, as authenticated by its credentials or its connection.
public struct Principal: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// No credentials.
        case anonymous
        /// A key in the store.
        case key
        /// The operator, with the key from the configuration.
        case operatorKey
        /// The operator, with a command on the control socket.
        case controlSocket
    }

    let kind: Kind
    /// Identifies the principal among all: the public id of its key; empty if anonymous.
    let id: String
    /// `nil` if anonymous.
    package let role: Role?

    private init(_ kind: Kind, id: String, role: Role?) {
        self.kind = kind
        self.id = id
        self.role = role
    }

    static let anonymous = Principal(.anonymous, id: "", role: nil)

    /// The sender of a valid key.
    static func key(id: String, role: Role) -> Principal {
        Principal(.key, id: id, role: role)
    }

    static let operatorKey = Principal(
        .operatorKey, id: "operator", role: .admin)

    static let controlSocket = Principal(
        .controlSocket, id: "control", role: .admin)

    /// The account whose rate limit applies; `nil` for an anonymous client, to which the limit of
    /// the address applies.
    var account: String? { kind == .anonymous ? nil : id }

    /// The audience that this principal belongs to.
    var audience: Audience { seesHidden ? .editors : .everyone }

    /// Whether this principal may see drafts, deleted articles and histories. If not, it sees
    /// exactly what is public, and shared cached responses can be used.
    var seesHidden: Bool { may(.readHistory) }

    /// Names the audience in the description of a list, to which its cursors are bound.
    var audienceName: String { seesHidden ? "editors" : "everyone" }

    /// An edit by this principal; idempotent if it has a key.
    func edit(at time: Timestamp, _ key: IdempotencyKey?) -> Edit {
        let actor: Edit.Actor =
            switch kind {
            // No endpoint lets an anonymous client edit.
            case .anonymous: .unrecorded(name: nil)
            case .key: .key(id: id)
            case .operatorKey, .controlSocket: .operator
            }
        return Edit(at: time, by: actor, key: key)
    }

    /// Whether this principal has the permission.
    func may(_ access: Endpoint.Access) -> Bool {
        guard let needed = Role.needed(for: access) else { return true }
        return role.map { $0 >= needed } ?? false
    }

    /// Rejects a principal without the permission; an anonymous client is asked to authenticate.
    func require(_ access: Endpoint.Access) throws(ServiceError) {
        guard let needed = Role.needed(for: access) else { return }
        guard let role else { throw .unauthenticated(.missing) }
        guard role >= needed else { throw .forbidden(needed: needed, has: role) }
    }
}

/// The role of a key; each one has the permissions of the lower ones.
public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Sees what is public.
    case reader
    /// Sees and edits everything.
    case editor
    /// Also administers the backend itself.
    case admin

    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .reader: 0
        case .editor: 1
        case .admin: 2
        }
    }

    /// The lowest role with this permission; `nil` if no role is needed.
    static func needed(for access: Endpoint.Access) -> Role? {
        switch access {
        case .everyone: nil
        case .readHistory, .writeArticles, .writeAuthors: .editor
        case .administer: .admin
        }
    }
}

/// The valid keys in memory: authenticates requests without a store access.
///
/// Only the process that owns the file can change its keys, so the ring is loaded once and notified
/// of each change. There are at most 1,000 valid keys (`ArticleStore.createKey`).
public final class KeyRing: Sendable {
    private struct State {
        var records: [String: KeyRecord]
        /// Verified credentials of readers by the number of the key's public id: at most one per
        /// key, removed when its record changes.
        var verified: [UInt64: Verified] = [:]
        /// Called with the public id of each key that was created or changed.
        var observer: (@Sendable (String) -> Void)?
    }

    private struct Verified {
        /// The credentials in `Authorization` after the scheme.
        let key: [UInt8]
        let reader: PublicReader
        let expiresAt: Timestamp?
    }

    private let operatorKey: OperatorKey?
    private let state: Lock<State>
    private let now: @Sendable () -> Timestamp

    public init(
        _ records: [KeyRecord], operatorKey: OperatorKey?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.operatorKey = operatorKey
        self.now = now
        state = Lock(
            State(
                records: Dictionary(
                    records.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })))
    }

    /// Accepts a key that was created or changed; the next request sees it.
    func admit(_ record: KeyRecord) {
        let observer = state.withLock { state in
            state.records[record.id] = record
            if let number = UInt64(record.id, radix: 16) { state.verified[number] = nil }
            return state.observer
        }
        observer?(record.id)
    }

    /// Calls the observer with the public id of each key that is created or changed from now on.
    func observe(_ observer: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Whether the principal still has the rights with which it was authenticated.
    func isCurrent(_ principal: Principal) -> Bool {
        guard principal.kind == .key else { return true }
        guard let record = state.withLock({ $0.records[principal.id] }) else { return false }
        let isExpired = record.expiresAt.map { $0 <= now() } ?? false
        return record.revokedAt == nil && !isExpired && record.role == principal.role?.rawValue
    }

    /// The sender of these fields (`Authorization: Bearer …`, RFC 6750 §2.1).
    ///
    /// Invalid credentials are rejected even where none are required.
    package func principal(of fields: HTTPFields) throws(ServiceError) -> Principal {
        guard fields.contains(.authorization) else { return .anonymous }
        guard let key = fields.withOnlyBytes(of: .authorization, Self.bearerKey) ?? nil else {
            throw .unauthenticated(.malformed)
        }
        return try principal(of: key)
    }

    /// The credentials after the scheme; `nil` for a different scheme.
    private static func bearerKey(in authorization: borrowing Span<UInt8>) -> String? {
        let scheme = "bearer"
        guard authorization.count > scheme.utf8.count else { return nil }
        var start = 0
        for byte in scheme.utf8 {
            guard authorization[start] | 0x20 == byte else { return nil }
            start += 1
        }
        guard authorization[start] == UInt8(ascii: " ") else { return nil }
        // RFC 9110 §11.4: one or more spaces precede the credentials.
        while start < authorization.count, authorization[start] == UInt8(ascii: " ") { start += 1 }
        return authorization.extracting(start...).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func principal(of key: String) throws(ServiceError) -> Principal {
        guard key.utf8.count <= 200 else { throw .unauthenticated(.unknown) }
        let digest = Digest.sha256(key.utf8)
        if let operatorKey, Digest.areEqual(digest, operatorKey.digest) {
            return .operatorKey
        }
        // The digest is also compared for an unknown id, so that timing discloses nothing.
        let record = APIKey.publicID(of: key).flatMap { id in
            state.withLock { $0.records[id] }
        }
        let kept = record?.digest ?? [UInt8](repeating: 0, count: 32)
        guard Digest.areEqual(digest, kept), let record, let role = Role(rawValue: record.role)
        else { throw .unauthenticated(.unknown) }
        guard record.revokedAt == nil else { throw .unauthenticated(.revoked) }
        if let expiresAt = record.expiresAt, expiresAt <= now() {
            throw .unauthenticated(.expired)
        }
        let principal = Principal.key(id: record.id, role: role)
        if !principal.seesHidden { remember(key, of: record) }
        return principal
    }

    /// Remembers a verified key of a reader, unless it was revoked in the meantime.
    private func remember(_ key: String, of record: KeyRecord) {
        guard let number = UInt64(record.id, radix: 16) else { return }
        let verified = Verified(
            key: Array(key.utf8), reader: PublicReader(account: record.id),
            expiresAt: record.expiresAt)
        state.withLock { state in
            guard state.records[record.id] == record else { return }
            state.verified[number] = verified
        }
    }
}

extension KeyRing: PublicReaders {
    /// The reader, if the key was verified before. This avoids computing a digest, which would be
    /// most of the cost of a cached response.
    public func reader(of authorization: borrowing Span<UInt8>) -> PublicReader? {
        guard let number = APIKey.publicNumber(of: authorization),
            let verified = state.withLock({ $0.verified[number] })
        else { return nil }
        let start = authorization.count - verified.key.count
        guard start >= 0, Digest.areEqual(authorization.extracting(start...), verified.key),
            verified.expiresAt.map({ now() < $0 }) ?? true
        else { return nil }
        return verified.reader
    }
}

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

    /// Accepts what is a `SharedSecret` (RFC 6750 §2.1 allows no other characters in a field).
    public init?(_ text: String) {
        guard let secret = SharedSecret(text) else { return nil }
        self.init(secret)
    }

    public init(_ secret: SharedSecret) { digest = Digest.sha256(secret.bytes) }
}
