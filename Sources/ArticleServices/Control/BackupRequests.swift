public import ArticleAPI
public import ArticleStore
import HTTP

/// `POST /control/backups`: streams a copy of the database.
public struct BackupRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.post, "/control/backups", access: .administer)
    public typealias Item = RawBody

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `GET /control/backups/current`: the progress of the running backup.
public struct FetchBackupProgressRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/control/backups/current", access: .administer)
    public typealias Item = CopyProgress

    public static let parameters = Parameters(Self.init)

    public init() {}
}

extension CopyProgress: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("pages", \.pages, .integer(0...Int.max)),
        .required("total", \.total, .integer(0...Int.max)))
}
