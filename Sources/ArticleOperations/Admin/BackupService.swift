public import ArticleAPI
package import ArticleServiceCore
public import ArticleStore
package import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import Glibc

/// Backs up the database while it is served.
///
/// The copy is written to an unlinked file next to the database and streamed from there: the writer
/// never waits for the client or its disk.
package struct BackupService: Sendable {
    private let file: any StoreMaintenance
    private let spool: Spool
    private let system: SystemEnvironment
    /// Progress of the running copy. Only one runs at a time, as each needs as much space as the
    /// database.
    private let current = Lock<CopyProgress?>(nil)

    init(
        file: any StoreMaintenance, spool: Spool, system: SystemEnvironment
    ) {
        self.file = file
        self.spool = spool
        self.system = system
    }

    /// The copy, for the command.
    package func backUp(
        _: BackupRequest, by _: Principal
    ) async throws(ServiceError) -> HTTPResponse { try await copy(savedAs: nil) }

    /// The copy, which browsers save in a file named after the day.
    package func download(
        _: DownloadBackupRequest, by _: Principal
    ) async throws(ServiceError) -> HTTPResponse {
        try await copy(savedAs: "broadsheet-\(system.now.description.prefix(10)).db")
    }

    /// - Parameter name: Under which browsers save it.
    private func copy(savedAs name: String?) async throws(ServiceError) -> HTTPResponse {
        let isFirst = current.withLock { current in
            defer { current = current ?? CopyProgress(pages: 0, total: 0) }
            return current == nil
        }
        guard isFirst else { throw .invalidValue("", "another backup is in progress") }
        defer { current.withLock { $0 = nil } }
        guard hasRoom(forCopyOf: file.path) else { throw .full }
        do {
            var copy: (any StoreCopy)?
            let spooled = try spool.file { copy = try file.copy(into: $0) }
            try await copy?.make { progress in current.withLock { $0 = progress } }
            return try spooled.response("application/vnd.sqlite3", savedAs: name)
        } catch { throw ServiceError(error) }
    }

    package func progress(
        _ request: FetchBackupProgressRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<CopyProgress> {
        guard let progress = current.withLock({ $0 }) else { throw .notFound }
        return Reply(progress)
    }

    /// Returns true if the disk has room for a second database.
    private func hasRoom(forCopyOf path: String) -> Bool {
        var database = stat()
        guard stat(path, &database) == 0 else { return true }
        return spool.hasRoom(forBytes: Int(database.st_size))
    }
}

/// `POST /v1/admin/backups`: streams a copy of the database.
public struct BackupRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/backups", name: "backUp",
        summary: "Copies the database", access: .administer)
    public typealias Item = RawBody

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `GET /v1/admin/backup`: the same for browsers, which download it to a file.
public struct DownloadBackupRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/backup", name: "downloadBackup",
        summary: "Downloads a copy of the database", access: .administer)
    public typealias Item = RawBody

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `GET /v1/admin/backups/current`: the progress of the running backup.
public struct FetchBackupProgressRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/backups/current", name: "getBackupProgress",
        summary: "Gets the progress of the running backup", access: .administer)
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
