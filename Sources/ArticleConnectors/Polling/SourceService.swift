package import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTP
package import BroadsheetPlatform

/// The operations of admins on sources.
package struct SourceService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    package let policy: SourcePolicy
    package let signal: PollerWakeup
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, cursors: CursorSealer, policy: SourcePolicy, signal: PollerWakeup,
        system: SystemEnvironment
    ) {
        self.store = store
        self.cursors = cursors
        self.policy = policy
        self.signal = signal
        self.system = system
    }

    package func list(
        _ request: FetchSourcesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<ContentSource>> {
        Reply(
            try await cursors.page(of: "sources", from: request.cursor) { after in
                try await store.sources(after: after, limit: request.limit ?? 20)
            })
    }

    package func create(
        _ request: CreateSourceRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<ContentSource> {
        let draft = request.source
        try check(draft.url)
        let time = system.now
        let source = ContentSource(
            id: draft.id ?? system.newID(at: time), url: draft.url, name: draft.name,
            publishes: draft.publishes, language: draft.language, tags: draft.tags,
            isPaused: draft.isPaused, intervalSeconds: draft.intervalSeconds, createdAt: time,
            updatedAt: time)
        do throws(StoreError) {
            let created = try await store.createSource(
                source, by: caller.edit(at: time, key))
            signal.wake()
            return Reply(created, location: FetchSourceRequest(id: created.id))
        } catch { throw Self.rejection(error) }
    }

    private func check(_ url: String) throws(ServiceError) {
        do throws(HTTPURL.Fault) { _ = try policy.url(url) } catch {
            throw .invalidValue("/url", error.description)
        }
    }

    private static func rejection(_ error: StoreError) -> ServiceError {
        switch error {
        case .conflict(let reason): .invalidValue("/url", reason)
        case .tooMany: .invalidValue("", "the limit of 1,000 sources has been reached")
        default: ServiceError(error)
        }
    }

    package func fetch(
        _ request: FetchSourceRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ContentSource> {
        do throws(StoreError) { return Reply(try await store.source(request.id)) } catch {
            throw ServiceError(error)
        }
    }

    package func update(
        _ request: UpdateSourceRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ContentSource> {
        if case .set(let url) = request.changes.url { try check(url) }
        do throws(StoreError) {
            let source = try await store.updateSource(
                request.id, request.changes, expecting: Precondition(request.expected),
                at: system.now)
            signal.wake()
            return Reply(source)
        } catch { throw Self.rejection(error) }
    }

    package func delete(
        _ request: DeleteSourceRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        do throws(StoreError) {
            try await store.deleteSource(request.id, expecting: Precondition(request.expected))
            // A poll of it ends.
            signal.wake()
            return Reply(NoContent())
        } catch { throw ServiceError(error) }
    }

    package func poll(
        _ request: PollSourceRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ContentSource> {
        do throws(StoreError) {
            let source = try await store.requestPoll(of: request.id, at: system.now)
            signal.wake()
            return Reply(source)
        } catch { throw ServiceError(error) }
    }
}
