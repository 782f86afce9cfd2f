public import ArticleAPI
import ArticleAdminAPI
public import ArticleStore

/// Exports of the data kept about one user.
extension SQLStore {
    public func exportAccount(
        _ id: User.ID, _ body: @escaping @Sendable (AccountRecord) throws -> Void
    ) async throws(StoreError) {
        try await core.accountExports.export { (state) throws(StoreError) in
            try state.exportAccount(id, body)
        }
    }
}

extension SQL {
    // There are few keys, so they have no index by owner.
    fileprivate static let keysOfUser: StaticString = """
        SELECT id, digest, name, role, created_at, expires_at, revoked_at, owner FROM keys
        WHERE owner = ?1 ORDER BY created_at, id
        """
    static let articlesOfUser: StaticString =
        "SELECT number FROM articles WHERE owner = ?1 ORDER BY state, publication, id"
    static let allCommentsOfUser: StaticString =
        "SELECT number FROM comments WHERE writer = ?1 ORDER BY created_at"
}

extension Snapshot {
    /// Passes on the data kept about a user, with one record at a time in memory, except for
    /// identities and sessions, of which there are few.
    fileprivate func exportAccount(
        _ id: User.ID, _ body: (AccountRecord) throws -> Void
    ) throws(StoreError) {
        func give(_ record: AccountRecord) throws(StoreError) {
            do { try body(record) } catch { throw .rejected(error) }
        }
        let user = try user(id)
        try give(.account(user.record))
        if let invitation = try invitation(usedFor: user.number) {
            try give(.invitation(invitation))
        }
        for identity in try identities(of: user.number) { try give(.identity(identity)) }
        for session in try sessions(of: id) { try give(.session(session)) }
        let keys = try connection.statement(SQL.keysOfUser)
        try keys.bind(1, id)
        while try keys.step() { try give(.key(KeyRecord(keys))) }
        let articles = try connection.statement(SQL.articlesOfUser)
        try articles.bind(1, id)
        while try articles.step() { try give(.article(ownedArticle(articles.integer(0)))) }
        let comments = try connection.statement(SQL.allCommentsOfUser)
        try comments.bind(1, user.number)
        while try comments.step() {
            let stored = try storedComment(number: comments.integer(0))
            try give(.comment(present(stored)))
        }
        let bookmarks = try connection.statement(SQL.bookmarksBefore)
        try bookmarks.bind(1, user.number)
        for place: Int32 in 2...3 { try bookmarks.bind(place, Int64.max) }
        while try bookmarks.step() { try give(.bookmark(Bookmark(bookmarks))) }
    }

    private func ownedArticle(
        _ number: Int64
    ) throws(StoreError) -> AccountExport.OwnedArticle {
        let article = try stored(number: number)
        let content = article.revision.content
        return AccountExport.OwnedArticle(
            id: article.id, slug: content.slug, title: content.title,
            status: article.state == .deleted ? nil : article.state.status)
    }
}
