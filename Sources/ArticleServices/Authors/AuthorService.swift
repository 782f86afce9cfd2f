public import ArticleAPI
public import ArticleStore
import HTTP

/// What callers may do with authors.
public struct AuthorService: Sendable {
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
        routes.on(FetchAuthorsRequest.self, list)
        routes.on(FetchAuthorRequest.self, fetch)
        routes.on(ReplaceAuthorRequest.self, replace)
    }

    func list(
        _ request: FetchAuthorsRequest, by caller: Caller
    ) async throws(ServiceError) -> Reply<Page<Author>> {
        let name = "authors for \(caller.isEditor ? "editors" : "everyone")"
        let after: Author.ID? =
            if let cursor = request.cursor { try cursors.open(cursor, in: name) } else { nil }
        do {
            let now = now()
            let slice = try await store.authors(
                after: after, limit: request.limit ?? 20, visibleTo: caller.audience(at: now))
            return Reply(
                Page(items: slice.items, next: slice.next.map { cursors.seal($0, in: name) }),
                dependencies: .lists(at: now))
        } catch { throw ServiceError(error) }
    }

    func fetch(
        _ request: FetchAuthorRequest, by caller: Caller
    ) async throws(ServiceError) -> Reply<Author> {
        do {
            let author = try await store.author(
                request.id, visibleTo: caller.audience(at: now()))
            return Reply(author, dependencies: .author(author))
        } catch { throw ServiceError(error) }
    }

    /// Makes or replaces an author; what stands is replaced only by who has seen it (`If-Match`).
    func replace(
        _ request: ReplaceAuthorRequest, by caller: Caller
    ) async throws(ServiceError) -> Reply<Author> {
        try caller.require(.editor)
        let replacement = request.author
        do {
            let (author, isNew) = try await store.putAuthor(
                request.id, expecting: Expectation(request.expected),
                by: caller.edit(request, at: now())
            ) { current in
                if current != nil, request.expected == nil {
                    throw ServiceError.preconditionRequired
                }
                try replacement.checkReadOnly(id: request.id, against: current)
                return AuthorContent(
                    name: replacement.name, about: replacement.about,
                    website: replacement.website)
            }
            return Self.reply(author, isNew: isNew)
        } catch {
            switch error {
            case .repeated(.changed):
                return Self.reply(try await standing(request.id), isNew: false)
            case .repeated(.made): return Self.reply(try await standing(request.id), isNew: true)
            default: throw ServiceError(error)
            }
        }
    }

    private static func reply(_ author: Author, isNew: Bool) -> Reply<Author> {
        isNew ? Reply(author, location: FetchAuthorRequest(id: author.id)) : Reply(author)
    }

    private func standing(_ id: Author.ID) async throws(ServiceError) -> Author {
        do { return try await store.author(id, visibleTo: .editors) } catch {
            throw ServiceError(error)
        }
    }
}
