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
        let replacement = request.author
        do {
            let (author, isNew) = try await store.putAuthor(
                request.id, expecting: Precondition(request.expected),
                by: caller.edit(at: system.now, key)
            ) { current in
                if current != nil, request.expected == nil {
                    throw ServiceError.preconditionRequired
                }
                try replacement.checkReadOnly(id: request.id, against: current)
                return AuthorContent(
                    name: replacement.name, about: replacement.about,
                    website: replacement.website)
            }
            return Reply(author, location: isNew ? author.location : nil)
        } catch { throw ServiceError(error) }
    }
}

extension Author.Replacement {
    /// Rejects read-only attributes that differ from the author's.
    func checkReadOnly(id: Author.ID, against current: Author?) throws(ServiceError) {
        var faults: [Problem.Detail] = []
        func check<Value: Equatable>(_ value: Value?, _ actual: Value?, _ pointer: String) {
            guard let value, value != actual else { return }
            faults.append(
                Problem.Detail("is set by the backend and cannot be changed", at: .pointer(pointer))
            )
        }
        check(self.id, id, "/id")
        check(createdAt, current?.createdAt, "/createdAt")
        check(updatedAt, current?.updatedAt, "/updatedAt")
        check(revision, current?.revision, "/revision")
        check(version, current?.version, "/version")
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}
