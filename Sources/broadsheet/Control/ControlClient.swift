import ArticleAPI
import ArticleClient
import ArticleServices
import ArticleStore
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process that serves a database file, as the commands reach it: over its control socket.
struct ControlClient: Sendable {
    let backend: BackendService

    /// - Parameter path: of the database; `nil` where nobody answers beside it.
    init?(ofDatabase path: String) async {
        let socket = ControlServer.path(of: Files.resolved(path))
        guard Files.exist(socket), let url = BaseURL("unix:\(socket)") else { return nil }
        var configuration = BackendConfiguration(baseURL: url)
        // What the owner is asked for may be everything that it has.
        configuration.timeout = .seconds(3_600)
        configuration.stallTimeout = .seconds(3_600)
        configuration.bodyBytes = 1 << 30
        backend = BackendService(configuration: configuration, cache: nil)
        do { _ = try await backend.send(FetchStateRequest()) } catch { return nil }
    }

    /// Sends a request, with failures in the words of a store.
    private func ask<Request: BackendAPIRequest>(
        _ request: Request
    ) async throws(StoreError) -> Request.Item {
        do throws(BackendError) {
            return try await backend.send(request)
        } catch { throw StoreError(ofOwner: error) }
    }

    /// Examines the file while it is served.
    func check() async throws(StoreError) -> CheckReport { try await ask(CheckRequest()) }

    /// Writes an export to the descriptor.
    /// - Parameter progress: is told of bytes, and of how many there will be.
    func export(
        to descriptor: Int32, progress: (_ done: Int, _ total: Int) -> Void
    ) async throws(CommandFailure) -> ExportReport {
        var tail: [UInt8] = []
        let done = try await receive(ExportRequest(), to: descriptor) { piece, done, total in
            tail = (tail + piece).suffix(ExportReport.lastLineBytes)
            progress(done, total)
        }
        guard let report = ExportReport(end: tail, bytes: done) else {
            throw CommandFailure(.ioError, "the export broke off")
        }
        return report
    }

    /// Writes a copy of the database to the descriptor.
    /// - Parameter progress: is told of bytes, and of how many there will be.
    func backUp(
        to descriptor: Int32, progress: (_ done: Int, _ total: Int) -> Void
    ) async throws(CommandFailure) {
        _ = try await receive(BackupRequest(), to: descriptor) { _, done, total in
            progress(done, total)
        } failing: { error in
            guard case .full = error else { return CommandFailure(error) }
            return CommandFailure(
                .ioError, "no room beside the database for the copy that its server makes first")
        }
    }

    /// How far the copy is that the owner makes; `nil` while it makes none.
    func backupProgress() async -> CopyProgress? {
        try? await backend.send(FetchBackupProgressRequest())
    }

    /// Writes an answer to the descriptor as it comes, and gives its length.
    private func receive<Request: BackendAPIRequest>(
        _ request: Request, to descriptor: Int32,
        _ seen: (_ piece: [UInt8], _ done: Int, _ total: Int) -> Void,
        failing failure: (StoreError) -> CommandFailure = { CommandFailure($0) }
    ) async throws(CommandFailure) -> Int {
        var done = 0
        do {
            let stream = try await backend.stream(request)
            for try await piece in stream {
                try Console.write(piece, to: descriptor)
                done += piece.count
                seen(piece, done, stream.length ?? done)
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
        let answer = try await ask(
            ImportArticlesRequest(batch: ImportBatch(items: items, isDryRun: dryRun)))
        return answer.results.map { result in
            switch result {
            case .taken(let outcome): .success(outcome)
            case .refused(let why): .failure(.rejected(Refusal(description: why)))
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

extension ControlClient: KeyKeeper {
    func keys() async throws(StoreError) -> [KeyRecord] {
        try await ask(FetchKeysRequest()).keys
    }

    func createKey(_ key: KeyRecord) async throws(StoreError) {
        _ = try await ask(CreateKeyRequest(key: key))
    }

    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord {
        try await ask(RevokeKeyRequest(id: id))
    }
}

/// Why the owner did not take something, in its words.
private struct Refusal: Error, CustomStringConvertible {
    let description: String
}

extension StoreError {
    /// What the owner's answer says of its store.
    fileprivate init(ofOwner error: BackendError) {
        switch error {
        case .problem(let problem) where problem.status == HTTPStatus.notFound.code:
            self = .notFound
        case .problem(let problem) where problem.status == HTTPStatus.insufficientStorage.code:
            self = .full
        case .problem(let problem) where problem.status < 500:
            self = .rejected(Refusal(description: problem.detail ?? problem.title))
        default: self = .unavailable("the server that owns the file: \(error)")
        }
    }
}
