import ArticleAPI
import ArticleStore

/// The operations on tags.
struct TagService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer

    func list(
        _ request: FetchTagsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Tag.Usage>> {
        let page = try await cursors.page(
            of: "tags for \(caller.audienceName)", from: request.cursor
        ) { after in
            try await store.tags(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience)
        }
        return Reply(page, dependencies: .lists)
    }
}
