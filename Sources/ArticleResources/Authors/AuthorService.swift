package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetPlatform

/// The operations on authors.
package struct AuthorService: Sendable {
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
        _ request: FetchAuthorsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Author>> {
        let page = try await cursors.page(
            of: "authors for \(caller.audienceName)", from: request.cursor
        ) { after in
            try await store.authors(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience)
        }
        return Reply(page, dependencies: .lists)
    }

    package func fetch(
        _ request: FetchAuthorRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Author> {
        do {
            let author = try await store.author(request.id, visibleTo: caller.audience)
            return Reply(author, dependencies: .author(author))
        } catch { throw ServiceError(error) }
    }

    /// Creates or replaces an author; replacing an existing one requires `If-Match`.
    package func replace(
        _ request: ReplaceAuthorRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Author> {
        // Without `If-Match`, there must be none.
        let expected = request.expected.map { Precondition($0) } ?? .nothing
        do throws(StoreError) {
            let (author, isNew) = try await store.putAuthor(
                request.id, request.author, expecting: expected,
                by: caller.edit(at: system.now, key))
            return Reply(author, location: isNew ? author.location : nil)
        } catch {
            if case .preconditionFailed(current: .some) = error, request.expected == nil {
                throw .preconditionRequired
            }
            throw ServiceError(error)
        }
    }
}
