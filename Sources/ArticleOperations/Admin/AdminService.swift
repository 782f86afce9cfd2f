package import ArticleAPI
package import ArticleAccounts
import ArticleImportExport
package import ArticleResources
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTP
import BroadsheetHTTPServer
package import BroadsheetPlatform
import Glibc

/// Administers the backend: for the operator's commands on the control socket of the process that
/// owns the database file, and for the keys of admins.
package struct AdminService: Sendable {
    private let store: any ArticleStore
    private let keys: KeyRing
    private let markdown: MarkdownRenderer
    private let file: any StoreMaintenance
    private let indexer: SearchIndexer
    private let spool: Spool
    package let backups: BackupService
    private let system: SystemEnvironment

    /// - Parameter file: the store's file; long responses are spooled next to it.
    package init(
        store: any ArticleStore, keys: KeyRing, markdown: MarkdownRenderer,
        file: any StoreMaintenance, indexer: SearchIndexer,
        system: SystemEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.markdown = markdown
        self.file = file
        self.indexer = indexer
        self.system = system
        spool = Spool(beside: file.path)
        backups = BackupService(file: file, spool: spool, system: system)
    }

    // MARK: Interchange

    package func importArticles(
        _ request: ImportArticlesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ImportResult> {
        var items = request.batch.items
        for index in items.indices {
            // The command has already rendered it to validate it.
            guard
                let body = try? await markdown.render(
                    items[index].content.draft.body, for: MarkdownRenderer.readers)
            else {
                continue
            }
            items[index].content.take(body)
        }
        do {
            let results = try await store.importArticles(
                items, by: caller.edit(at: system.now, nil),
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

    package func restore(
        _ request: RestoreRecordsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<RestoreCounts> {
        do {
            return Reply(
                try await store.restore(
                    request.records().map(scheduled), dryRun: request.isDryRun))
        } catch let error as StoreError {
            throw Self.rejection(error)
        } catch { throw ServiceError(error) }
    }

    /// A command of an earlier version sends a scheduled article as published in the future. If the
    /// clock is merely behind the one by which it was published, it stays published.
    private func scheduled(_ record: ExportRecord) -> ExportRecord {
        guard case .revision(var revision) = record, revision.article.status == .published,
            let time = revision.article.publishedAt, time > max(system.now, revision.time)
        else { return record }
        revision.article.status = .scheduled
        return .revision(revision)
    }

    /// Restored records have no JSON pointers, so commands get the error as a sentence.
    private static func rejection(_ error: StoreError) -> ServiceError {
        switch error {
        case .full, .busy, .delayed, .unavailable, .corrupt: ServiceError(error)
        default: .invalidValue("/records", error.sentence)
        }
    }

    package func state(
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
    package func export(
        _ request: ExportRequest, by caller: Principal
    ) async throws(ServiceError) -> HTTPResponse {
        do {
            let spooled = try spool.file()
            _ = try await Exporter(store: store).write(to: spooled.descriptor)
            return try spooled.response("application/x-ndjson")
        } catch { throw ServiceError(interchange: error) }
    }

    // MARK: Keys

    package func listKeys(
        _ request: FetchKeysRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<KeyList> {
        do {
            let keys = try await store.keys()
            return Reply(KeyList(keys: keys.map { ListedKey($0, to: caller) }))
        } catch { throw ServiceError(error) }
    }

    package func createKey(
        _ request: CreateKeyRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        guard Role(rawValue: request.key.role) != nil else {
            throw .invalidValue("/role", "must be reader, author, editor or admin")
        }
        var key = request.key
        let owner = try await owner(of: key)
        // The server's time decides which keys are valid.
        key.createdAt = system.now
        do throws(StoreError) {
            try await store.createKey(key)
        } catch {
            if case .tooMany(let things) = error {
                throw .invalidValue("", "there are too many \(things)")
            }
            throw ServiceError(error)
        }
        keys.admit(key, owner: owner)
        if let owner { try await refresh(owner.id) }
        return Reply(NoContent())
    }

    /// The owner may have been changed or deleted before the key was admitted; later changes are
    /// reported.
    private func refresh(_ owner: User.ID) async throws(ServiceError) {
        let present = try await ServiceError.ifFound { () throws(StoreError) in
            try await store.user(owner)
        }
        if let present { keys.admit(present) } else { keys.remove(owner) }
    }

    /// The user that the key acts for, if any.
    private func owner(of key: KeyRecord) async throws(ServiceError) -> UserRecord? {
        guard let id = key.owner else { return nil }
        let owner = try await ServiceError.ifFound { () throws(StoreError) in
            try await store.user(id)
        }
        guard let owner else { throw .invalidValue("/owner", "no user has this id") }
        return owner
    }

    package func revokeKey(
        _ request: RevokeKeyRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ListedKey> {
        do {
            let key = try await store.revokeKey(request.id, at: system.now)
            keys.admit(key)
            return Reply(ListedKey(key, to: caller))
        } catch { throw ServiceError(error) }
    }

    // MARK: The file

    package func beginHistory(
        _ request: BeginHistoryRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<StoreState> {
        do { try await file.beginHistory() } catch { throw ServiceError(error) }
        return try await state(FetchStateRequest(), by: caller)
    }

    package func check(
        _ request: CheckRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<CheckReport> {
        let report: CheckReport
        do { report = try await file.check() } catch { throw ServiceError(error) }
        if let reason = report.searchFindings.first { indexer.reportDamage(reason) }
        return Reply(report)
    }

    /// Several short steps, so that a command does not ask for each.
    package func vacuum(
        _ request: VacuumRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<VacuumProgress> {
        var progress = VacuumProgress(done: request.done ?? 0, total: Int.max)
        let start = system.uptime
        do {
            repeat {
                progress = try await file.vacuum(progress)
            } while !progress.isComplete && system.uptime - start < .milliseconds(200)
        } catch { throw ServiceError(error) }
        return Reply(progress)
    }
}

extension ServiceError {
    /// Creates the error of an export that could not be written: usually because the disk is full.
    init(interchange error: any Error) {
        switch error {
        case InterchangeError.store(let error): self.init(error)
        case InterchangeError.output(let error) where error.code == ENOSPC: self = .full
        case InterchangeError.cancelled: self = .busy
        default: self.init(error)
        }
    }
}
