public import ArticleAPI
public import ArticleStore
import HTTP

/// `GET /control/keys`: all API keys, as records.
public struct FetchKeysRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/keys", access: .administer)
    public typealias Item = KeyList

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `POST /control/keys`: keeps the record of a new key, which works at once.
public struct CreateKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/control/keys", access: .administer, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init, .body(\.key))

    public var key: KeyRecord

    public init(key: KeyRecord) { self.key = key }
}

/// `POST /control/keys/{id}/revocation`: the key stops working at once.
public struct RevokeKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/control/keys/{id}/revocation", access: .administer)
    public typealias Item = KeyRecord

    public static let parameters = Parameters(Self.init, .path("id", \.id, .token(1...64)))

    public var id: String

    public init(id: String) { self.id = id }
}

/// Every key that the file has.
public struct KeyList: Sendable, Hashable {
    public var keys: [KeyRecord]
}

extension KeyList: JSONModel {
    public static let shape = ObjectCodec(
        Self.init, .required("keys", \.keys, .array(of: KeyRecord.format, atMost: 1_000_000)))
}

extension KeyRecord: JSONModel {
    /// With the digest, which is for the owner of the file alone.
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
