public import ArticleAPI
public import ArticleStore
import HTTP

/// The operations on tags.
public struct TagService: Sendable {
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
        routes.on(FetchTagsRequest.self, list)
    }

    func list(
        _ request: FetchTagsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Tag.Usage>> {
        let name = "tags for \(caller.seesHidden ? "editors" : "everyone")"
        let after: String? =
            if let cursor = request.cursor { try cursors.open(cursor, in: name) } else { nil }
        do {
            let now = now()
            let slice = try await store.tags(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience(at: now))
            return Reply(
                Page(items: slice.items, next: slice.next.map { cursors.seal($0, in: name) }),
                dependencies: .lists(at: now))
        } catch { throw ServiceError(error) }
    }
}
