public import ArticleAPI
public import ArticleStore
package import HTTP
public import HTTPServer
import Platform

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
        state.withLock { state in
            state.records[record.id] = record
            if let number = UInt64(record.id, radix: 16) { state.verified[number] = nil }
        }
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
        let principal = Principal.key(id: record.id, name: record.name, role: role)
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
