import ArticleAPI
import ArticleAdminAPI
import ArticleStore

/// The users who own articles: who may write what, and how many of an owner's articles have a tag
/// or an author. Authors are the names in by-lines; owners are users.
extension SQL {
    static let mayOwn: StaticString = """
        SELECT 1 FROM users WHERE id = ?1 AND role IN ('author', 'editor', 'admin')
        """
    static let userNumber: StaticString = "SELECT number FROM users WHERE id = ?1"
    // An article without content is hidden from all.
    static let articleOwner: StaticString = """
        SELECT articles.state, articles.owner FROM articles
        JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE articles.id = ?1
        """
    static let ownedArticles: StaticString =
        "SELECT number FROM articles WHERE owner = ?1 LIMIT ?2"
    static let clearOwner: StaticString = "UPDATE articles SET owner = NULL WHERE number = ?1"
    static let ownedFacet: StaticString =
        "SELECT hidden FROM owned_facets WHERE facet = ?1 AND owner = ?2"
    static let ownersOfFacet: StaticString = """
        SELECT users.id, users.number FROM owned_facets JOIN users ON users.id = owned_facets.owner
        WHERE facet = ?1
        """
    fileprivate static let countOwned: StaticString = """
        INSERT INTO owned_facets (facet, owner, live, hidden) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (facet, owner) DO UPDATE
        SET live = owned_facets.live + excluded.live,
            hidden = owned_facets.hidden + excluded.hidden
        RETURNING live
        """
    static let removeOwnedFacet: StaticString =
        "DELETE FROM owned_facets WHERE facet = ?1 AND owner = ?2 AND live = 0"
}

extension Audience {
    /// Returns true if the audience sees an article in this state.
    func sees(_ state: StoredState, ownedBy owner: UserRecord.ID?) -> Bool {
        switch self {
        case .editors: state != .deleted
        case .author(let id): state == .published || owner == id && state != .deleted
        case .everyone: state == .published
        }
    }

    /// The only place that decides who may change an article and see its history. Others
    /// may know that a public article exists, but not that a hidden one does.
    fileprivate func checkAccess(
        to state: StoredState, ownedBy owner: UserRecord.ID?
    ) throws(StoreError) {
        if self == .editors { return }
        if let owner, self == .author(owner) { return }
        throw state == .published ? .notOwner : .notFound
    }

    /// Checks that the audience may change the article.
    func checkAccess(to article: StoredArticle) throws(StoreError) {
        try checkAccess(to: article.state, ownedBy: article.owner)
    }
}

extension Snapshot {
    /// The number of a user's row, if there is one.
    func userNumber(_ id: UserRecord.ID) throws(StoreError) -> Int64? {
        let row = try connection.statement(SQL.userNumber)
        try row.bind(1, id)
        return try row.step() ? row.integer(0) : nil
    }

    /// Checks that the audience may see the history of an article.
    func checkHistory(
        of id: Article.ID, visibleTo audience: Audience
    ) throws(StoreError) {
        let row = try connection.statement(SQL.articleOwner)
        try row.bind(1, id)
        guard try row.step() else { throw .notFound }
        try audience.checkAccess(
            to: StoredState(row.integer(0)), ownedBy: row.optionalIdentifier(1))
    }

    private func mayOwn(_ id: UserRecord.ID) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.mayOwn)
        try row.bind(1, id)
        return try row.step()
    }

    /// Checks that the user exists and has a role that may own articles.
    fileprivate func checkOwner(_ id: UserRecord.ID) throws(StoreError) {
        guard try mayOwn(id) else { throw .unknownOwner(id) }
    }

    /// The number of hidden articles of a user that have a tag or an author; `nil` if the user owns
    /// no articles with it.
    func hiddenArticles(
        of owner: UserRecord.ID, under facet: Int64
    ) throws(StoreError) -> Int64? {
        let row = try connection.statement(SQL.ownedFacet)
        try row.bind(1, facet)
        try row.bind(2, owner)
        return try row.step() ? row.integer(0) : nil
    }

    /// The users who own articles that have a tag or an author.
    func owners(under facet: Int64) throws(StoreError) -> [TransitionAudience] {
        let row = try connection.statement(SQL.ownersOfFacet)
        try row.bind(1, facet)
        var owners: [TransitionAudience] = []
        while try row.step() {
            owners.append(.owner(try row.identifier(0), number: row.integer(1)))
        }
        return owners
    }
}

extension WriteStep {
    /// The owner of a new article: an author's is the author's own.
    func ownerOfNew(
        _ wanted: UserRecord.ID?, by edit: Edit
    ) throws(StoreError) -> UserRecord.ID? {
        switch edit.audience {
        case .editors:
            if let wanted { try state.checkOwner(wanted) }
            return wanted
        case .author(let id):
            guard wanted == nil || wanted == id else { throw .ownerFixed }
            // The account may have been deleted since the request was authenticated.
            try state.checkOwner(id)
            return id
        case .everyone: throw .notOwner
        }
    }

    /// The owner of an article after an edit by a user who may edit it.
    func ownerAfterEdit(
        _ wanted: UserRecord.ID?, of article: StoredArticle, by edit: Edit
    ) throws(StoreError) -> UserRecord.ID? {
        guard wanted != article.owner else { return wanted }
        guard edit.audience == .editors else { throw .ownerFixed }
        if let wanted { try state.checkOwner(wanted) }
        return wanted
    }

    /// The owner in an export, if there is such a user here.
    func knownOwner(_ id: UserRecord.ID?) throws(StoreError) -> UserRecord.ID? {
        guard let id, try state.userNumber(id) != nil else { return nil }
        return id
    }
}

extension WriteStep {
    // MARK: When a user is deleted

    /// The number of articles that lose their owner in one commit.
    static let disownedPerCommit = 100

    /// Takes articles from a user who is to be deleted; `false` if there may be more of them.
    func disown(_ id: UserRecord.ID, at time: Timestamp) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.ownedArticles)
        try row.bind(1, id)
        try row.bind(2, Self.disownedPerCommit)
        var articles: [Int64] = []
        while try row.step() { articles.append(row.integer(0)) }
        for article in articles { try disown(state.stored(number: article), at: time) }
        return articles.count < Self.disownedPerCommit
    }

    private func disown(_ current: StoredArticle, at time: Timestamp) throws(StoreError) {
        // Nobody sees it, or it cannot have a further revision.
        guard current.state != .deleted, current.lastRevision < Self.limitRevisions else {
            _ = try countOwned(from: VisibilityInputs(of: current), to: nil)
            let row = try connection.statement(SQL.clearOwner)
            try row.bind(1, current.number)
            try row.run()
            return
        }
        var content = current.revision.content
        content.owner = nil
        let time = max(time, current.revision.time)
        try record(
            RevisionData(
                action: .updated, actor: try stored(Edit.Actor.system), time: time,
                updatedAt: time, content: content, isDeletion: false),
            of: current.number, id: current.id, createdAt: current.createdAt, after: current)
    }
}

extension WriteStep {
    // MARK: Counters

    /// An author who came into an owner's sight by the owner's articles, or left it.
    struct OwnedAuthor {
        let owner: UserRecord.ID
        let author: Int64
        let isDeparture: Bool
    }

    /// Counts the articles of owners under tags and authors.
    func countOwned(
        from before: VisibilityInputs?, to after: VisibilityInputs?
    ) throws(StoreError) -> [OwnedAuthor] {
        var changes: [OwnedFacet: OwnedCount] = [:]
        for (exposure, sign) in [(before, Int64(-1)), (after, 1)] {
            guard let exposure, let owner = exposure.owner, exposure.state != .deleted else {
                continue
            }
            let hidden = exposure.state == .published ? 0 : sign
            let content = exposure.content
            let facets = content.tags.map { ($0, false) } + content.authors.map { ($0, true) }
            for (facet, isAuthor) in facets {
                let key = OwnedFacet(owner: owner, facet: facet, isAuthor: isAuthor)
                changes[key, default: OwnedCount()].live += sign
                changes[key, default: OwnedCount()].hidden += hidden
            }
        }
        var authors: [OwnedAuthor] = []
        for (key, change) in changes.sorted(by: { $0.key.facet < $1.key.facet })
        where change != OwnedCount() {
            let live = try count(key, change)
            guard key.isAuthor, change.live != 0, live == max(change.live, 0) else { continue }
            authors.append(
                OwnedAuthor(owner: key.owner, author: key.facet, isDeparture: live == 0))
        }
        return authors
    }

    private struct OwnedFacet: Hashable {
        let owner: UserRecord.ID
        let facet: Int64
        let isAuthor: Bool
    }

    private struct OwnedCount: Equatable {
        var live: Int64 = 0
        var hidden: Int64 = 0
    }

    /// Returns their present number.
    private func count(_ key: OwnedFacet, _ change: OwnedCount) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.countOwned)
        try row.bind(1, key.facet)
        try row.bind(2, key.owner)
        try row.bind(3, change.live)
        try row.bind(4, change.hidden)
        guard try row.step() else { throw .corrupt("the articles of an owner are not counted") }
        let live = row.integer(0)
        _ = try row.step()
        if live == 0 {
            let empty = try connection.statement(SQL.removeOwnedFacet)
            try empty.bind(1, key.facet)
            try empty.bind(2, key.owner)
            try empty.run()
        }
        return live
    }
}
