package import ArticleAPI
import ArticleAccounts
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetPlatform

/// The operations on users' bookmarks.
package struct BookmarkService: Sendable {
    private let store: any ArticleStore
    private let cursors: CursorSealer
    private let writes: WriteThrottle
    private let system: SystemEnvironment

    /// Maximum number of bookmarks that a user sets and removes.
    private static let writesPerMinute = 120

    package init(
        store: any ArticleStore, cursors: CursorSealer, system: SystemEnvironment
    ) {
        self.store = store
        self.cursors = cursors
        writes = WriteThrottle(perMinute: Self.writesPerMinute, system: system)
        self.system = system
    }

    package func list(
        _ request: FetchBookmarksRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Bookmark>> {
        let user = try caller.requireUser()
        let name = "bookmarks of \(user) for \(caller.audienceName)"
        let page = try await cursors.page(of: name, from: request.cursor) { after in
            try await store.bookmarks(
                of: user, seeing: caller.audience, after: after, limit: request.limit ?? 20)
        }
        return Reply(page)
    }

    package func put(
        _ request: PutBookmarkRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Bookmark> {
        let user = try caller.requireUser()
        try writes.take(user)
        do throws(StoreError) {
            let (bookmark, _) = try await store.putBookmark(
                of: request.articleID, for: user, position: request.place?.position,
                seeing: caller.audience, at: system.now)
            return Reply(bookmark)
        } catch {
            if case .tooMany = error { throw .tooManyBookmarks }
            throw ServiceError(error)
        }
    }

    package func delete(
        _ request: DeleteBookmarkRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        let user = try caller.requireUser()
        try writes.take(user)
        do throws(StoreError) {
            try await store.deleteBookmark(of: request.articleID, for: user)
        } catch { throw ServiceError(error) }
        return Reply(NoContent())
    }
}
