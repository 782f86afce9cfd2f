import ArticleAPI
import ArticleStore
import Glibc
import HTTP
import HTTPServer
import Platform

/// Serves the operator's commands on the control socket of the process that owns the database file.
/// Anyone who can open that socket has admin rights.
struct ControlService: Sendable {
    let store: any ArticleStore
    let keys: KeyRing
    let markdown: MarkdownRenderer
    /// The store's file; long responses are spooled next to it.
    let file: any StoreMaintenance
    let now: @Sendable () -> Timestamp
    let log: @Sendable (String) -> Void

    func register(on routes: inout Routes) {
        routes.on(ImportArticlesRequest.self, importArticles)
        routes.on(RestoreRecordsRequest.self, restore)
        routes.on(FetchStateRequest.self, state)
        routes.on(FetchKeysRequest.self, listKeys)
        routes.on(CreateKeyRequest.self, createKey)
        routes.on(RevokeKeyRequest.self, revokeKey)
        routes.on(CheckRequest.self, check)
        BackupService(file: file, log: log).register(on: &routes)
        let endpoint = ExportRequest.endpoint
        routes.on(endpoint.method, endpoint.template.description) { _, context in
            await export(context)
        }
    }

    // MARK: Interchange

    private func importArticles(
        _ request: ImportArticlesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ImportResult> {
        var items = request.batch.items
        for index in items.indices {
            // The command has already rendered it to validate it.
            guard let body = try? await markdown.render(items[index].content.draft.body) else {
                continue
            }
            items[index].content.take(body)
        }
        do {
            let results = try await store.importArticles(
                items, by: caller.edit(at: now(), nil),
                dryRun: request.batch.isDryRun)
            return Reply(
                ImportResult(
                    results: results.map { result in
                        switch result {
                        case .success(let outcome): .taken(outcome)
                        case .failure(let error): .rejected(error.sentence)
                        }
                    }))
        } catch { throw ServiceError(error) }
    }

    private func restore(
        _ request: RestoreRecordsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<RestoreCounts> {
        do {
            return Reply(
                try await store.restore(request.records(), dryRun: request.isDryRun))
        } catch let error as StoreError {
            throw Self.rejection(error)
        } catch { throw ServiceError(error) }
    }

    /// Restored records have no JSON pointers, so commands get the error as a sentence.
    private static func rejection(_ error: StoreError) -> ServiceError {
        switch error {
        case .full, .busy, .unavailable, .corrupt: ServiceError(error)
        default: .invalidValue("/records", error.sentence)
        }
    }

    private func state(
        _ request: FetchStateRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<StoreState> {
        do {
            return Reply(
                StoreState(
                    sequence: Int(try await store.changeSequence()),
                    articles: try await store.articleCount()))
        } catch { throw ServiceError(error) }
    }

    /// The export is completed before its first byte is sent.
    private func export(_ context: RequestContext) async -> HTTPResponse {
        do {
            let spool = try SpoolFile(beside: file.path)
            _ = try await Exporter(store: store).write(to: spool.descriptor)
            return try spool.response("application/x-ndjson")
        } catch {
            return ServiceError(interchange: error).response(to: context.requestID, log: log)
        }
    }

    // MARK: Keys

    private func listKeys(
        _ request: FetchKeysRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<KeyList> {
        do { return Reply(KeyList(keys: try await store.keys())) } catch {
            throw ServiceError(error)
        }
    }

    private func createKey(
        _ request: CreateKeyRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        do throws(StoreError) {
            try await store.createKey(request.key)
        } catch {
            if case .tooMany(let things) = error {
                throw .invalidValue("", "there are too many \(things)")
            }
            throw ServiceError(error)
        }
        keys.admit(request.key)
        return Reply(NoContent())
    }

    private func revokeKey(
        _ request: RevokeKeyRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<KeyRecord> {
        do {
            let key = try await store.revokeKey(request.id, at: now())
            keys.admit(key)
            return Reply(key)
        } catch { throw ServiceError(error) }
    }

    // MARK: The file

    private func check(
        _ request: CheckRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<CheckReport> {
        do { return Reply(try await file.check()) } catch { throw ServiceError(error) }
    }
}

extension ServiceError {
    /// Why an export could not be written: usually because the disk is full.
    init(interchange error: any Error) {
        switch error {
        case InterchangeError.store(let error): self.init(error)
        case InterchangeError.output(let error) where error.code == ENOSPC: self = .full
        default: self.init(error)
        }
    }
}
