import ArticleAPI
import ArticleClient
import ArticleImportExport
import ArticleOperations
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// A client of the process that serves a database, over its control socket.
struct ControlClient: Sendable {
    let backend: BackendService

    /// - Parameter path: the path of the database. The result is `nil` if no server responds.
    init?(ofDatabase path: String) async {
        let socket = ControlSocket.path(ofDatabase: path)
        guard Files.exist(socket), let url = BaseURL("unix:\(socket)") else { return nil }
        var configuration = BackendConfiguration(baseURL: url)
        // An export or a backup may transfer the whole database.
        configuration.timeout = .seconds(3_600)
        configuration.stallTimeout = .seconds(3_600)
        configuration.bodyBytes = 1 << 30
        backend = BackendService(
            configuration: configuration, transport: SocketTransport(), cache: nil)
        guard (try? await backend.send(FetchStateRequest())) != nil else { return nil }
    }

    /// Sends a request, and maps failures to store errors.
    private func ask<Request: BackendAPIRequest>(
        _ request: Request
    ) async throws(StoreError) -> Request.Item {
        do throws(BackendError) {
            return try await backend.send(request)
        } catch { throw StoreError(ofOwner: error) }
    }

    /// Verifies the database while it is being served.
    func check() async throws(StoreError) -> CheckReport { try await ask(CheckRequest()) }

    /// Starts a new history of the database that is being served.
    func beginHistory() async throws(StoreError) { _ = try await ask(BeginHistoryRequest()) }

    /// Removes an article or revisions for good.
    func purge(_ purge: Purge) async throws(StoreError) -> PurgeCounts {
        try await ask(PurgeRequest(purge: purge))
    }

    /// Writes an export to the descriptor.
    /// - Parameter progress: called with the bytes written so far, and their expected total.
    func export(
        to descriptor: Int32, progress: (_ done: Int, _ total: Int) -> Void
    ) async throws(CommandFailure) -> ExportReport {
        var tail: [UInt8] = []
        let done = try await receive(ExportRequest(), to: descriptor) { piece, done, total in
            tail = (tail + piece).suffix(ExportReport.lastLineBytes)
            progress(done, total)
        }
        guard let report = ExportReport(end: tail, bytes: done) else {
            throw CommandFailure(.ioError, "the export is incomplete")
        }
        return report
    }

    /// Writes a copy of the database to the descriptor.
    /// - Parameter progress: called with the bytes written so far, and their expected total.
    func backUp(
        to descriptor: Int32, progress: (_ done: Int, _ total: Int) -> Void
    ) async throws(CommandFailure) {
        _ = try await receive(BackupRequest(), to: descriptor) { _, done, total in
            progress(done, total)
        } failing: { error in
            guard case .full = error else { return CommandFailure(error) }
            return CommandFailure(
                .ioError, "not enough disk space next to the database for the server's copy")
        }
    }

    /// The progress of the copy that the owner is making; `nil` if it is making none.
    func backupProgress() async -> CopyProgress? {
        try? await backend.send(FetchBackupProgressRequest())
    }

    /// Streams a response to the descriptor, and returns its length.
    private func receive<Request: BackendAPIRequest>(
        _ request: Request, to descriptor: Int32,
        _ received: (_ piece: [UInt8], _ done: Int, _ total: Int) -> Void,
        failing failure: (StoreError) -> CommandFailure = { CommandFailure($0) }
    ) async throws(CommandFailure) -> Int {
        var done = 0
        do {
            let stream = try await backend.stream(request)
            for try await piece in stream {
                try Console.write(piece, to: descriptor)
                done += piece.count
                received(piece, done, stream.length ?? done)
            }
        } catch let error as BackendError {
            throw failure(StoreError(ofOwner: error))
        } catch {
            throw error as? CommandFailure ?? CommandFailure(.software, "\(error)")
        }
        return done
    }
}

extension ControlClient: ImportDestination {
    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        let response = try await ask(
            ImportArticlesRequest(batch: ImportBatch(items: items, isDryRun: dryRun)))
        return response.results.map { result in
            switch result {
            case .taken(let outcome): .success(outcome)
            case .rejected(let reason): .failure(.rejected(Rejection(description: reason)))
            }
        }
    }

    func restore(
        _ records: [ExportRecord], dryRun: Bool
    ) async throws(StoreError) -> RestoreCounts {
        try await ask(RestoreRecordsRequest(records, isDryRun: dryRun))
    }

    func changeSequence() async throws(StoreError) -> Int64 {
        Int64(try await ask(FetchStateRequest()).sequence)
    }
}

extension ControlClient: KeyStore {
    func keys() async throws(StoreError) -> [KeyRecord] {
        try await ask(FetchKeysRequest()).keys.map(\.record)
    }

    func createKey(_ key: KeyRecord) async throws(StoreError) {
        _ = try await ask(CreateKeyRequest(key: key))
    }

    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord {
        try await ask(RevokeKeyRequest(id: id)).record
    }
}

/// The owner's reason for rejecting something.
private struct Rejection: Error, CustomStringConvertible {
    let description: String
}

extension StoreError {
    /// The text of servers since the first version about an attribute that they do not know.
    private static let unknown = "is not an attribute that can be set here"

    /// Maps the owner's response to a store error.
    init(ofOwner error: BackendError) {
        switch error {
        case .problem(let problem) where problem.status == HTTPStatus.notFound.code:
            self = .notFound
        case .problem(let problem) where problem.status == HTTPStatus.insufficientStorage.code:
            self = .full
        case .problem(let problem) where problem.errors.contains { $0.detail == Self.unknown }:
            let text = problem.detail ?? problem.title
            self = .rejected(
                Rejection(
                    description:
                        "the running server has an older version (\(text)): upgrade or stop it"
                ))
        case .problem(let problem) where problem.status < 500:
            self = .rejected(Rejection(description: problem.detail ?? problem.title))
        default: self = .unavailable("the server that owns the file: \(error)")
        }
    }
}

/// A connection to the process that serves a database, over its control socket, that is upgraded to
/// another protocol than HTTP (`Upgrade`, RFC 9110 §7.8).
enum ControlChannel {
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - name: the name of the protocol.
    /// - Returns: `nil` if no server is running for the database.
    /// - Throws: `.unavailable` if the server does not support the protocol.
    static func open(
        ofDatabase path: String, for name: String, timeoutSeconds: Int
    ) throws(CommandFailure) -> DescriptorChannel? {
        let socket = ControlSocket.path(ofDatabase: path)
        guard socket.utf8.count <= SocketAddress.limitUnixPathBytes else { return nil }
        do throws(SystemError) {
            let channel = try DescriptorChannel.connect(to: socket, timeoutSeconds: timeoutSeconds)
            let head = [
                "GET \(AdminPath.prefix)state HTTP/1.1", "Host: control", "Connection: Upgrade",
                "Upgrade: \(name)", "",
            ]
            // Each line ends with the line feed that `send` appends.
            try channel.send(head.map { "\($0)\r" }.joined(separator: "\n"))
            guard try channel.receiveLine()?.hasPrefix("HTTP/1.1 101 ") ?? false else {
                throw SystemError("upgrade", code: EPROTONOSUPPORT)
            }
            while let line = try channel.receiveLine(), !line.isEmpty {}
            return channel
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED: return nil
            case EPROTONOSUPPORT:
                throw CommandFailure(
                    .unavailable, "\(path): the running server does not support this; stop it first"
                )
            default: throw CommandFailure(.unavailable, "\(socket): \(error)")
            }
        }
    }
}
