import ArticleAPI
import ArticleStore
import Glibc
import HTTP
import HTTPServer
import Sockets

/// Copies of the served database, for the operator's commands.
///
/// A copy is made beside the database, in a file without a name, and then read by who asked for it:
/// the writer never waits for them, nor for their disk.
struct BackupService: Sendable {
    let file: any StoreMaintenance
    let log: @Sendable (String) -> Void
    /// Of the copy that is made now; one at a time, as each takes the room of the database.
    private let current = Lock<CopyProgress?>(nil)

    init(file: any StoreMaintenance, log: @escaping @Sendable (String) -> Void) {
        self.file = file
        self.log = log
    }

    /// Left free for what is written meanwhile.
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
                throw ServiceError.invalidValue("", "another backup is being made")
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

    /// Whether the disk has room for a second database (`statvfs(3)`): a copy must not be what
    /// keeps writers from writing.
    private static func hasRoom(forCopyOf path: String) -> Bool {
        var disk = statvfs()
        var database = stat()
        guard statvfs(path, &disk) == 0, stat(path, &database) == 0 else { return true }
        let free = Int(disk.f_bavail) * Int(disk.f_frsize)
        return free > Int(database.st_size) + marginBytes
    }
}
