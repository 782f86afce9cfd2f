import ArticleAPI
import ArticleStore

/// Exports and restoration of users and of their bookmarks.
extension SQL {
    static let identitiesOfUser: StaticString = """
        SELECT issuer, subject FROM identities WHERE "user" = ?1 ORDER BY issuer, subject
        """
    static let bookmarksOfUser: StaticString = """
        SELECT articles.id, position, bookmarks.created_at, bookmarks.updated_at,
            bookmarks.revision, articles.state
        FROM bookmarks JOIN articles ON articles.number = bookmarks.article
        WHERE "user" = ?1 ORDER BY articles.id
        """
}

extension Snapshot {
    func exportUsers(_ give: (ExportedUser) throws(StoreError) -> Void) throws(StoreError) {
        try forEachUser { (user) throws(StoreError) in
            try give(ExportedUser(user.record, identities: identities(of: user.number)))
        }
    }

    func exportBookmarks(
        _ give: (ExportedBookmark) throws(StoreError) -> Void
    ) throws(StoreError) {
        try forEachUser { (user) throws(StoreError) in
            let row = try connection.statement(SQL.bookmarksOfUser)
            try row.bind(1, user.number)
            while try row.step() {
                try give(ExportedBookmark(user: user.record.id, bookmark: Bookmark(row)))
            }
        }
    }

    private func forEachUser(
        _ body: (StoredUser) throws(StoreError) -> Void
    ) throws(StoreError) {
        let row = try connection.statement(SQL.usersAfter)
        try row.bind(1, [UInt8]())
        // No limit.
        try row.bind(2, Int64.max)
        while try row.step() { try body(StoredUser(row)) }
    }

    func identities(of user: Int64) throws(StoreError) -> [IdentityRecord] {
        let row = try connection.statement(SQL.identitiesOfUser)
        try row.bind(1, user)
        var identities: [IdentityRecord] = []
        while try row.step() {
            identities.append(IdentityRecord(issuer: row.text(0), subject: row.text(1)))
        }
        return identities
    }
}

extension WriteStep {
    /// The greatest revision of a restored record: later ones can still be counted.
    static let limitBookmarkRevisions = Int(Int32.max)

    /// A user that exists, and is equal except for password and further identities, stays.
    func restore(_ user: ExportedUser) throws(StoreError) -> Bool {
        let record = user.record
        let name = "user \(record.id)"
        if let number = try state.userNumber(record.id) {
            let identities = try state.identities(of: number)
            guard try ExportedUser(state.user(record.id).record, identities: []).record == record,
                user.identities.allSatisfy(identities.contains)
            else { throw .conflict(name) }
            return false
        }
        guard try state.user(named: record.nameKey) == nil else {
            throw .conflict("\(name): the name \"\(record.name)\" is taken by another user")
        }
        guard record.revision <= Self.limitBookmarkRevisions else {
            throw .conflict("\(name): its revision is too great")
        }
        let number = try createUser(record, using: nil, at: record.createdAt)
        for identity in user.identities {
            guard try state.user(identifiedBy: identity) == nil else {
                throw .conflict("\(name): an identity is taken by another user")
            }
            try insert(identity, of: number)
        }
        return true
    }

    func restore(_ exported: ExportedBookmark) throws(StoreError) -> Bool {
        let bookmark = exported.bookmark
        let name = "bookmark of article \(bookmark.articleID) by user \(exported.user)"
        guard let user = try state.userNumber(exported.user) else {
            throw .conflict("\(name): the user does not exist")
        }
        guard let article = try state.articleNumber(bookmark.articleID)?.number else {
            throw .conflict("\(name): the article does not exist")
        }
        if let found = try state.bookmark(of: article, for: user) {
            guard found == bookmark else { throw .conflict(name) }
            return false
        }
        guard bookmark.revision <= Self.limitBookmarkRevisions else {
            throw .conflict("\(name): its revision is too great")
        }
        try checkRoomForBookmark(of: user)
        try set(bookmark, of: article, for: (user, exported.user))
        return true
    }
}
