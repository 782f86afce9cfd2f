public import ArticleAPI
public import ArticleStore

/// Bookmarks. The revision of one that was removed is that of its last transition.
extension SQLStore {
    public func bookmarks(
        of user: User.ID, seeing audience: Audience, after position: BookmarkPosition?, limit: Int
    ) async throws(StoreError) -> Slice<Bookmark, BookmarkPosition> {
        try await read { (state) throws(StoreError) in
            try state.bookmarks(of: user, seeing: audience, after: position, limit: limit)
        }
    }

    public func putBookmark(
        of article: Article.ID, for user: User.ID, position: Double?, seeing audience: Audience,
        at time: Timestamp
    ) async throws(StoreError) -> (bookmark: Bookmark, isNew: Bool) {
        try await submit { (step) throws(StoreError) in
            try step.putBookmark(
                of: article, for: user, position: position, seeing: audience, at: time)
        }
    }

    public func deleteBookmark(
        of article: Article.ID, for user: User.ID
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.deleteBookmark(of: article, for: user)
        }
    }
}

extension SQL {
    fileprivate static let bookmarksOfArticle: StaticString = """
        SELECT "user", users.id FROM bookmarks JOIN users ON users.number = "user"
        WHERE article = ?1 ORDER BY "user" LIMIT ?2
        """
    /// Articles with the same time follow one another in the order of their rows.
    static let bookmarksBefore: StaticString = """
        SELECT articles.id, position, bookmarks.created_at, bookmarks.updated_at,
            bookmarks.revision, articles.state, articles.owner
        FROM bookmarks JOIN articles ON articles.number = bookmarks.article
        WHERE "user" = ?1 AND (bookmarks.created_at, bookmarks.article) < (?2, ?3)
        ORDER BY bookmarks.created_at DESC, bookmarks.article DESC
        """
    static let bookmark: StaticString = """
        SELECT articles.id, position, bookmarks.created_at, bookmarks.updated_at,
            bookmarks.revision, articles.state, articles.owner
        FROM bookmarks JOIN articles ON articles.number = bookmarks.article
        WHERE "user" = ?1 AND article = ?2
        """
    static let hasBookmarks: StaticString = """
        SELECT 1 FROM bookmarks WHERE "user" = ?1 LIMIT 1 OFFSET ?2
        """
    static let lastBookmarkRevision: StaticString = """
        SELECT revision FROM bookmark_transitions WHERE "user" = ?1 AND article = ?2
        """
    static let setBookmark: StaticString = """
        INSERT INTO bookmarks ("user", article, position, created_at, updated_at, revision)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT ("user", article) DO UPDATE SET position = excluded.position,
            updated_at = excluded.updated_at, revision = excluded.revision
        """
    static let removeBookmark: StaticString = """
        DELETE FROM bookmarks WHERE "user" = ?1 AND article = ?2
        """
    static let removeBookmarks: StaticString = """
        DELETE FROM bookmarks WHERE "user" = ?1
        """
    fileprivate static let setBookmarkTransition: StaticString = """
        INSERT INTO bookmark_transitions ("user", sequence, article, revision, is_departure)
        VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT ("user", article) DO UPDATE SET sequence = excluded.sequence,
            revision = excluded.revision, is_departure = excluded.is_departure
        """
    static let removeBookmarkTransitions: StaticString = """
        DELETE FROM bookmark_transitions WHERE "user" = ?1
        """
    static let removeBookmarkDepartures: StaticString = """
        DELETE FROM bookmark_transitions WHERE "user" = ?1 AND sequence IN (
            SELECT sequence FROM bookmark_transitions
            WHERE "user" = ?1 AND is_departure = 1 LIMIT ?2)
        """
}

extension Bookmark {
    /// Reads the columns of `SQL.bookmark`.
    init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            articleID: try row.identifier(0), position: row.optionalReal(1),
            createdAt: row.time(2), updatedAt: row.time(3), revision: Int(row.integer(4)))
    }
}

extension Snapshot {
    fileprivate func bookmarks(
        of user: User.ID, seeing audience: Audience, after position: BookmarkPosition?, limit: Int
    ) throws(StoreError) -> Slice<Bookmark, BookmarkPosition> {
        guard let number = try userNumber(user) else { throw .notFound }
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.bookmarksBefore)
        try row.bind(1, number)
        try row.bind(2, position?.createdAt.milliseconds ?? .max)
        var after = Int64.max
        if let position { after = try articleNumber(position.article)?.number ?? .max }
        try row.bind(3, after)
        var page = Slice<Bookmark, BookmarkPosition>(items: [], next: nil)
        // A user has no more bookmarks than a page may examine.
        while try row.step() {
            let state = try StoredState(row.integer(5))
            guard try audience.sees(state, ownedBy: row.optionalIdentifier(6)) else { continue }
            guard page.items.count < limit else {
                page.next = page.items.last.map {
                    BookmarkPosition(createdAt: $0.createdAt, article: $0.articleID)
                }
                return page
            }
            page.items.append(try Bookmark(row))
        }
        return page
    }

    func bookmark(
        of article: Int64, for user: Int64
    ) throws(StoreError) -> Bookmark? {
        let row = try connection.statement(SQL.bookmark)
        try row.bind(1, user)
        try row.bind(2, article)
        return try row.step() ? Bookmark(row) : nil
    }

    /// The one after the user's last change to the bookmark, which may be its removal.
    fileprivate func nextBookmarkRevision(
        of article: Int64, for user: Int64
    ) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.lastBookmarkRevision)
        try row.bind(1, user)
        try row.bind(2, article)
        return try row.step() ? Int(row.integer(0)) + 1 : 1
    }
}

extension WriteStep {
    fileprivate func putBookmark(
        of id: Article.ID, for user: User.ID, position: Double?, seeing audience: Audience,
        at time: Timestamp
    ) throws(StoreError) -> (bookmark: Bookmark, isNew: Bool) {
        guard let number = try state.userNumber(user), let article = try state.stored(.id(id)),
            article.isVisible(to: audience)
        else { throw .notFound }
        let old = try state.bookmark(of: article.number, for: number)
        if let old, old.position == position { return (old, false) }
        if old == nil { try checkRoomForBookmark(of: number) }
        let bookmark = Bookmark(
            articleID: id, position: position, createdAt: old?.createdAt ?? time,
            updatedAt: max(time, old?.updatedAt ?? time),
            revision: try state.nextBookmarkRevision(of: article.number, for: number))
        try set(bookmark, of: article.number, for: (number, user))
        return (bookmark, old == nil)
    }

    func checkRoomForBookmark(of user: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.hasBookmarks)
        try row.bind(1, user)
        try row.bind(2, state.limits.bookmarksPerUser - 1)
        guard try !row.step() else { throw .tooMany("bookmarks") }
    }

    func set(
        _ bookmark: Bookmark, of article: Int64, for user: (number: Int64, id: User.ID)
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setBookmark)
        try row.bind(1, user.number)
        try row.bind(2, article)
        try row.bind(3, bookmark.position)
        try row.bind(4, bookmark.createdAt)
        try row.bind(5, bookmark.updatedAt)
        try row.bind(6, bookmark.revision)
        try row.run()
        try recordTransition(
            ofBookmark: bookmark.articleID, article, for: user, revision: bookmark.revision,
            isDeparture: false)
    }

    fileprivate func deleteBookmark(
        of id: Article.ID, for user: User.ID
    ) throws(StoreError) {
        guard let number = try state.userNumber(user),
            let article = try state.articleNumber(id)?.number,
            try state.bookmark(of: article, for: number) != nil
        else { throw .notFound }
        try removeBookmark(of: id, article, for: (number, user))
    }

    /// Removes bookmarks of an article, of which their users learn; returns their number.
    func removeBookmarks(
        ofArticle article: Int64, _ id: Article.ID, limit: Int
    ) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.bookmarksOfArticle)
        try row.bind(1, article)
        try row.bind(2, limit)
        var users: [(number: Int64, id: User.ID)] = []
        while try row.step() { users.append((row.integer(0), try row.identifier(1))) }
        for user in users { try removeBookmark(of: id, article, for: user) }
        return users.count
    }

    private func removeBookmark(
        of id: Article.ID, _ article: Int64, for user: (number: Int64, id: User.ID)
    ) throws(StoreError) {
        let row = try connection.statement(SQL.removeBookmark)
        try row.bind(1, user.number)
        try row.bind(2, article)
        try row.run()
        let revision = try state.nextBookmarkRevision(of: article, for: user.number)
        try recordTransition(
            ofBookmark: id, article, for: user, revision: revision, isDeparture: true)
    }

    private func recordTransition(
        ofBookmark id: Article.ID, _ article: Int64, for user: (number: Int64, id: User.ID),
        revision: Int, isDeparture: Bool
    ) throws(StoreError) {
        let sequence = try recordChange(
            of: .bookmark(id), number: article, revision: revision, isDeletion: isDeparture,
            isPublic: false, bookmarker: user.id)
        let row = try connection.statement(SQL.setBookmarkTransition)
        try row.bind(1, user.number)
        try row.bind(2, sequence)
        try row.bind(3, article)
        try row.bind(4, revision)
        try row.bind(5, isDeparture ? 1 : 0)
        try row.run()
    }

    /// Removes up to `limit` records of bookmarks that a user removed; `false` if there may be more
    /// of them.
    func forgetBookmarkRemovals(
        ofUser number: Int64, limit: Int
    ) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.removeBookmarkDepartures)
        try row.bind(1, number)
        try row.bind(2, limit)
        try row.run()
        return connection.changedRows < limit
    }

    /// Removes the bookmarks of a user and their log, as another user may get the number.
    func forgetBookmarks(ofUser number: Int64) throws(StoreError) {
        for sql in [SQL.removeBookmarks, SQL.removeBookmarkTransitions] {
            let row = try connection.statement(sql)
            try row.bind(1, number)
            try row.run()
        }
    }
}
