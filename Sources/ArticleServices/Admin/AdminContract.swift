public import ArticleAPI

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

/// Where requests that administer the backend are found.
///
/// Older servers have them on the control socket alone, below `/control/`. An older and a newer
/// program meet there whenever a server is upgraded, so both directions work:
///
/// - A server also serves them below `former` on its control socket, for older commands.
/// - A command asks for the state below `prefix` first. If the server responds with 404, the
///   command sends all its requests below `former`.
/// - A connection that is to be upgraded, for a takeover, names the state below `former`, which
///   servers of all versions have.
///
/// Apart from the prefix, nothing has changed.
public enum AdminPath {
    public static let prefix = "/v1/admin/"
    public static let former = "/control/"
}
