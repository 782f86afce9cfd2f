package import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetPlatform

/// The operations on the history of an article, including a deleted one.
package struct RevisionService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, cursors: CursorSealer, system: SystemEnvironment
    ) {
        self.store = store
        self.cursors = cursors
        self.system = system
    }

    package func list(
        _ request: FetchRevisionsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Revision>> {
        let page = try await cursors.page(
            of: "revisions of \(request.id)", from: request.cursor
        ) { below in
            try await store.revisions(
                of: request.id, below: below, limit: request.limit ?? 20,
                visibleTo: caller.audience)
        }
        return Reply(page)
    }

    package func fetch(
        _ request: FetchRevisionRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Article> {
        do {
            return Reply(
                try await store.revision(
                    request.number, of: request.id, visibleTo: caller.audience))
        } catch { throw ServiceError(error) }
    }

    package func listDeleted(
        _ request: FetchDeletedArticlesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<DeletedArticle>> {
        let name = "deleted articles for \(caller.audienceName)"
        let page = try await cursors.page(of: name, from: request.cursor) { after in
            try await store.deletedArticles(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience)
        }
        return Reply(page)
    }

    package func restore(
        _ request: RestoreRevisionRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        do {
            let article = try await store.restoreArticle(
                request.id, to: request.number, expecting: Precondition(request.expected),
                by: caller.edit(at: system.now, key))
            return Reply(article)
        } catch { throw ServiceError(error) }
    }
}
