public import ArticleAPI
public import ArticleAdminAPI

extension Contract {
    /// The requests that administer the backend, in addition to `requests`. They are declared here
    /// because they transfer records of the store, which apps do not know.
    public static let adminRequests: [any BackendAPIRequest.Type] = [
        FetchStateRequest.self, CheckRequest.self, BeginHistoryRequest.self,
        FetchKeysRequest.self, CreateKeyRequest.self, RevokeKeyRequest.self,
        ImportArticlesRequest.self, ExportRequest.self, RestoreRecordsRequest.self,
        BackupRequest.self, DownloadBackupRequest.self, FetchBackupProgressRequest.self,
        FetchStatisticsRequest.self, ImportFileRequest.self, VacuumRequest.self,
        PurgeRequest.self,
    ]
}

/// The path of requests that administer the backend.
public enum AdminPath {
    public static let prefix = "/v1/admin/"
}
