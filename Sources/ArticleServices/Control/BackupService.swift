public import ArticleAPI
public import ArticleStore
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

/// An unlinked file that buffers a long response until the client has read it, so that producing
/// the response never waits for the client.
final class SpoolFile: Sendable {
    let descriptor: Int32
    private let pool = BlockingPool(label: "broadsheet.control.spool", width: 1, depth: 1)
    private let position = Lock(0)

    private static let pieceBytes = 256 << 10

    /// Creates the file next to `path`, readable only by its owner.
    ///
    /// - Parameter use: opens the file by its name before it is unlinked.
    init(
        beside path: String, _ use: (_ name: String) throws -> Void = { _ in }
    ) throws {
        let file = try TemporaryFile(path)
        descriptor = file.descriptor
        defer { unlink(file.path) }
        try use(file.path)
    }

    deinit { close(descriptor) }

    /// A response that streams the whole file with this media type.
    func response(_ mediaType: String) throws(SystemError) -> HTTPResponse {
        let length = Int(try retrying("lseek") { lseek(descriptor, 0, SEEK_END) })
        return HTTPResponse(
            .ok, fields: [.contentType: mediaType, .cacheControl: "no-store"],
            body: .stream(HTTPBodyStream(length: length) { try await self.next() }))
    }

    private func next() async throws -> [UInt8]? {
        let piece = try await pool.run {
            Result { () throws(SystemError) in try self.read() }
        }.get()
        return piece.isEmpty ? nil : piece
    }

    /// The bytes after those that were already read (`pread(2)`).
    private func read() throws(SystemError) -> [UInt8] {
        let offset = position.withLock { $0 }
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        let count = try retrying("pread") {
            piece.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
        }
        position.withLock { $0 += count }
        piece.removeLast(piece.count - count)
        return piece
    }
}
