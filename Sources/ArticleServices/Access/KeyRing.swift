public import ArticleAPI
public import ArticleStore
package import HTTP
import Network

/// The live keys, in memory: who a request comes from is answered without the store.
///
/// Only the process that owns the file can change its keys, so the ring is filled once and told of
/// each change. At most 1,000 live keys (`ArticleStore.createKey`).
public final class KeyRing: Sendable {
    private let operatorKey: OperatorKey?
    private let records: Lock<[String: KeyRecord]>
    private let now: @Sendable () -> Timestamp

    public init(
        _ records: [KeyRecord], operatorKey: OperatorKey?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.operatorKey = operatorKey
        self.now = now
        self.records = Lock(
            Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }))
    }

    /// Takes a key that was made or changed: the next request sees it.
    func admit(_ record: KeyRecord) { records.withLock { $0[record.id] = record } }

    /// Who sends these fields (`Authorization: Bearer …`, RFC 6750 §2.1).
    ///
    /// Credentials that are there but not good are refused, also where none are needed.
    package func caller(of fields: HTTPFields) throws(ServiceError) -> Caller {
        guard let authorization = fields[.authorization] else { return .stranger }
        guard fields.values(of: .authorization).count == 1 else {
            throw .unauthenticated(.malformed)
        }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw .unauthenticated(.malformed)
        }
        // RFC 9110 §11.4: one or more spaces stand before the credentials.
        return try caller(of: String(parts[1].drop { $0 == " " }))
    }

    private func caller(of key: String) throws(ServiceError) -> Caller {
        guard key.utf8.count <= 200 else { throw .unauthenticated(.unknown) }
        let digest = Digest.sha256(key.utf8)
        if let operatorKey, Digest.areEqual(digest, operatorKey.digest) {
            return .key(id: "operator", name: "operator", role: .admin)
        }
        // An unknown id is compared too, so that timing tells nothing.
        let record = APIKey.publicID(of: key).flatMap { id in records.withLock { $0[id] } }
        let kept = record?.digest ?? [UInt8](repeating: 0, count: 32)
        guard Digest.areEqual(digest, kept), let record, let role = Role(rawValue: record.role)
        else { throw .unauthenticated(.unknown) }
        guard record.revokedAt == nil else { throw .unauthenticated(.revoked) }
        if let expiresAt = record.expiresAt, expiresAt <= now() {
            throw .unauthenticated(.expired)
        }
        return .key(id: record.id, name: record.name, role: role)
    }
}
