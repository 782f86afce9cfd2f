public import ArticleAPI
import ArticleImportExport
import ArticleServiceCore
public import ArticleStore
import BroadsheetHTTP

/// `GET /v1/admin/keys`: lists all API keys.
public struct FetchKeysRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/keys", name: "listKeys",
        summary: "Lists the API keys", access: .administer)
    public typealias Item = KeyList

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `POST /v1/admin/keys`: stores the record of a new key, which is valid immediately. The key
/// itself is known to the client alone.
public struct CreateKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/keys", name: "createKey",
        summary: "Stores an API key that the caller has made", access: .administer,
        success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init, .body(\.key))

    public var key: KeyRecord

    public init(key: KeyRecord) { self.key = key }
}

/// `POST /v1/admin/keys/{id}/revocation`: revokes a key, effective immediately.
public struct RevokeKeyRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/keys/{id}/revocation", name: "revokeKey",
        summary: "Revokes an API key", access: .administer)
    public typealias Item = ListedKey

    public static let parameters = Parameters(Self.init, .path("id", \.id, .token(1...64)))

    public var id: String

    public init(id: String) { self.id = id }
}

/// All keys in the database.
public struct KeyList: Sendable, Hashable {
    public var keys: [ListedKey]
}

/// A key as responses show it. The digest is included on the control socket only, because older
/// commands require it there; other callers do not need it.
public struct ListedKey: Sendable, Hashable {
    /// The digest is empty if it was not included.
    public var record: KeyRecord

    init(_ record: KeyRecord, to caller: Principal) {
        self.record = record
        if caller.kind != .controlSocket { self.record.digest = [] }
    }

    private init(
        id: String, digest: [UInt8]?, name: String, role: String, createdAt: Timestamp,
        expiresAt: Timestamp?, revokedAt: Timestamp?, owner: User.ID?
    ) {
        record = KeyRecord(
            id: id, digest: digest ?? [], name: name, role: role, createdAt: createdAt,
            expiresAt: expiresAt, revokedAt: revokedAt, owner: owner)
    }
}

extension KeyList: JSONModel {
    public static let shape = ObjectCodec(
        Self.init, .required("keys", \.keys, .array(of: ListedKey.format, atMost: 1_000_000)))
}

extension ListedKey: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.record.id, .text(.token(1...64))),
        .optional(
            "digest", { @Sendable in $0.record.digest.isEmpty ? nil : $0.record.digest },
            .text(.digest)),
        .required("name", \.record.name, .text(.line(1...100))),
        .required("role", \.record.role, .text(.token(1...16))),
        .required("createdAt", \.record.createdAt, .timestamp),
        .optional("expiresAt", \.record.expiresAt, .timestamp),
        .optional("revokedAt", \.record.revokedAt, .timestamp),
        .optional("owner", \.record.owner, .identifier()))
}

extension KeyRecord: JSONModel {
    /// A new key, as commands send it. The server decides when it was created.
    public static let shape = ObjectCodec(
        {
            (
                id: String, digest: [UInt8], name: String, role: String, createdAt: Timestamp?,
                expiresAt: Timestamp?, revokedAt: Timestamp?, owner: User.ID?
            ) in
            KeyRecord(
                id: id, digest: digest, name: name, role: role,
                createdAt: createdAt ?? Timestamp(milliseconds: 0), expiresAt: expiresAt,
                revokedAt: revokedAt, owner: owner)
        },
        .required("id", \.id, .text(.token(1...64))),
        .required("digest", \.digest, .text(.digest)),
        .required("name", \.name, .text(.line(1...100))),
        .required("role", \.role, .text(.token(1...16))),
        .optional("createdAt", { @Sendable in $0.createdAt }, .timestamp),
        .optional("expiresAt", \.expiresAt, .timestamp),
        .optional("revokedAt", \.revokedAt, .timestamp),
        .optional("owner", \.owner, .identifier()))
}
