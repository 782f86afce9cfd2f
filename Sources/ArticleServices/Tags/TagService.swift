import ArticleAPI
import ArticleStore

/// The operations on tags.
struct TagService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    let now: @Sendable () -> Timestamp

    func list(
        _ request: FetchTagsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Tag.Usage>> {
        let now = now()
        let page = try await cursors.page(
            of: "tags for \(caller.audienceName)", from: request.cursor
        ) { after in
            try await store.tags(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience(at: now))
        }
        return Reply(page, dependencies: .lists(at: now))
    }
}
