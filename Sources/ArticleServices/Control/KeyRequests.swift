public import ArticleAPI
public import ArticleStore
import HTTP

/// `GET /control/keys`: lists the records of all API keys.
public struct FetchKeysRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/keys", access: .administer)
    public typealias Item = KeyList

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `POST /control/keys`: stores the record of a new key, which is valid immediately.
public struct CreateKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/control/keys", access: .administer, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init, .body(\.key))

    public var key: KeyRecord

    public init(key: KeyRecord) { self.key = key }
}

/// `POST /control/keys/{id}/revocation`: revokes a key, effective immediately.
public struct RevokeKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/control/keys/{id}/revocation", access: .administer)
    public typealias Item = KeyRecord

    public static let parameters = Parameters(Self.init, .path("id", \.id, .token(1...64)))

    public var id: String

    public init(id: String) { self.id = id }
}

/// All keys in the database.
public struct KeyList: Sendable, Hashable {
    public var keys: [KeyRecord]
}

extension KeyList: JSONModel {
    public static let shape = ObjectCodec(
        Self.init, .required("keys", \.keys, .array(of: KeyRecord.format, atMost: 1_000_000)))
}

extension KeyRecord: JSONModel {
    /// Includes the digest, which only the owner of the file may see.
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .text(.token(1...64))),
        .required("digest", \.digest, .text(.digest)),
        .required("name", \.name, .text(.line(1...100))),
        .required("role", \.role, .text(.token(1...16))),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("expiresAt", \.expiresAt, .timestamp),
        .optional("revokedAt", \.revokedAt, .timestamp))
}
