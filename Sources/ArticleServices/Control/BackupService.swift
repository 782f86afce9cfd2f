import ArticleAPI
import ArticleStore
import Glibc
import HTTP
import HTTPServer
import Platform

/// Backs up the served database for the operator's commands.
///
/// The copy is written to an unlinked file next to the database and streamed from there: the writer
/// never waits for the client or its disk.
struct BackupService: Sendable {
    let file: any StoreMaintenance
    let log: @Sendable (String) -> Void
    /// Progress of the running copy. Only one runs at a time, as each needs as much space as the
    /// database.
    private let current = Lock<CopyProgress?>(nil)

    init(file: any StoreMaintenance, log: @escaping @Sendable (String) -> Void) {
        self.file = file
        self.log = log
    }

    /// Disk space left free for concurrent writes.
    private static let marginBytes = 64 << 20

    func register(on routes: inout Routes) {
        let endpoint = BackupRequest.endpoint
        routes.on(endpoint.method, endpoint.template.description) { _, context in
            await backUp(context)
        }
        routes.on(FetchBackupProgressRequest.self, progress)
    }

    private func backUp(_ context: RequestContext) async -> HTTPResponse {
        do {
            let isFirst = current.withLock { current in
                defer { current = current ?? CopyProgress(pages: 0, total: 0) }
                return current == nil
            }
            guard isFirst else {
                throw ServiceError.invalidValue("", "another backup is in progress")
            }
            defer { current.withLock { $0 = nil } }
            guard Self.hasRoom(forCopyOf: file.path) else { throw ServiceError.full }
            var copy: (any StoreCopy)?
            let spool = try SpoolFile(beside: file.path) { copy = try file.copy(into: $0) }
            try await copy?.make { progress in current.withLock { $0 = progress } }
            return try spool.response("application/vnd.sqlite3")
        } catch {
            return ServiceError(error).response(to: context.requestID, log: log)
        }
    }

    private func progress(
        _ request: FetchBackupProgressRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<CopyProgress> {
        guard let progress = current.withLock({ $0 }) else { throw .notFound }
        return Reply(progress)
    }

    /// Whether the disk has room for a second database (`statvfs(3)`): a backup must not fill the
    /// disk and block writers.
    private static func hasRoom(forCopyOf path: String) -> Bool {
        var disk = statvfs()
        var database = stat()
        guard statvfs(path, &disk) == 0, stat(path, &database) == 0 else { return true }
        let free = Int(disk.f_bavail) * Int(disk.f_frsize)
        return free > Int(database.st_size) + marginBytes
    }
}
