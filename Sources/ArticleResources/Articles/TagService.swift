package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore

/// The operations on tags.
package struct TagService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer

    package init(store: any ArticleStore, cursors: CursorSealer) {
        self.store = store
        self.cursors = cursors
    }

    package func list(
        _ request: FetchTagsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<ArticleTag.Usage>> {
        let page = try await cursors.page(
            of: "tags for \(caller.audienceName)", from: request.cursor
        ) { after in
            try await store.tags(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience)
        }
        return Reply(page, dependencies: .lists)
    }
}
