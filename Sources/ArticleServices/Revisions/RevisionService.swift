public import ArticleAPI
public import ArticleStore
import HTTP

/// The operations on the history of an article, including a deleted one.
public struct RevisionService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    let now: @Sendable () -> Timestamp

    public init(
        store: any ArticleStore, cursors: CursorSealer, now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.cursors = cursors
        self.now = now
    }

    func register(on routes: inout Routes) {
        routes.on(FetchRevisionsRequest.self, list)
        routes.on(FetchRevisionRequest.self, fetch)
        routes.on(RestoreRevisionRequest.self, restore)
    }

    func list(
        _ request: FetchRevisionsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Revision>> {
        let name = "revisions of \(request.id)"
        let below: Int? =
            if let cursor = request.cursor { try cursors.open(cursor, in: name) } else { nil }
        do {
            let slice = try await store.revisions(
                of: request.id, below: below, limit: request.limit ?? 20)
            return Reply(
                Page(items: slice.items, next: slice.next.map { cursors.seal($0, in: name) }))
        } catch { throw ServiceError(error) }
    }

    func fetch(
        _ request: FetchRevisionRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Article> {
        do {
            let article = try await store.revision(request.number, of: request.id)
            return Reply(article.asOf(now()))
        } catch { throw ServiceError(error) }
    }

    func restore(
        _ request: RestoreRevisionRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        let now = now()
        do {
            let article = try await store.restoreArticle(
                request.id, to: request.number, expecting: Precondition(request.expected),
                by: caller.edit(at: now, key))
            return Reply(article.asOf(now))
        } catch { throw ServiceError(error) }
    }
}
