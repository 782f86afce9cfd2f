public import ArticleAPI
public import ArticleStore

/// The history of articles.
extension SQLStore {
    public func revisions(
        of id: Article.ID, below number: Int?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Revision, Int> {
        try await read { (state) throws(StoreError) in
            try state.checkHistory(of: id, visibleTo: audience)
            return try state.revisions(of: id, below: number, limit: limit)
        }
    }

    public func revision(
        _ number: Int, of id: Article.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> Article {
        try await read { (state) throws(StoreError) in
            try state.checkHistory(of: id, visibleTo: audience)
            return try state.present(
                state.stored(id, at: number), withBody: true, to: audience)
        }
    }

    public func deletedArticles(
        after: ArticlePosition?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<DeletedArticle, ArticlePosition> {
        try await read { (state) throws(StoreError) in
            try state.deletedArticles(after: after, limit: limit, visibleTo: audience)
        }
    }

    public func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) -> Article {
        try await write(edit) {
            .article($0, isNew: false)
        } _: { (step) throws(StoreError) in
            try step.restoreArticle(id, to: number, expecting: expectation, by: edit)
        }
    }
}

extension SQL {
    fileprivate static let history: StaticString = """
        SELECT number, action, title, state, time, editor, actor FROM revisions
        WHERE row > (?1 << 20) AND row < (?1 << 20 | ?2) ORDER BY row DESC LIMIT ?3
        """
    // ?1 and ?2 are the position.
    static let deleted: StaticString = """
        SELECT number FROM articles
        WHERE deleted_at IS NOT NULL AND (deleted_at, id) < (?1, ?2)
        ORDER BY deleted_at DESC, id DESC LIMIT ?3
        """
    static let ownDeleted: StaticString = """
        SELECT number FROM articles
        WHERE owner = ?4 AND deleted_at IS NOT NULL AND (deleted_at, id) < (?1, ?2)
        ORDER BY deleted_at DESC, id DESC LIMIT ?3
        """
}

extension Snapshot {
    func revisions(
        of id: Article.ID, below number: Int?, limit: Int
    ) throws(StoreError) -> Slice<Revision, Int> {
        guard let article = try articleNumber(id), article.revision > 0 else { throw .notFound }
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.history)
        try row.bind(1, article.number)
        try row.bind(2, min(max(number ?? .max, 0), 1 << 20 - 1))
        try row.bind(3, limit + 1)
        var items: [Revision] = []
        while try row.step() {
            if items.count == limit { return Slice(items: items, next: items.last?.number) }
            items.append(
                Revision(
                    number: Int(row.integer(0)), action: Revision.Action(stored: row.integer(1)),
                    title: row.text(2), status: try StoredState(row.integer(3)).status,
                    createdAt: row.time(4),
                    actor: try actor(StoredActor(row, actor: 6, editor: 5))))
        }
        return Slice(items: items, next: nil)
    }

    func deletedArticles(
        after: ArticlePosition?, limit: Int, visibleTo audience: Audience
    ) throws(StoreError) -> Slice<DeletedArticle, ArticlePosition> {
        let limit = min(max(limit, 1), 100)
        let end = after.map(ListingCursor.Bound.at) ?? .after(.max)
        let row: Statement
        switch audience {
        case .everyone: return Slice(items: [], next: nil)
        case .editors: row = try connection.statement(SQL.deleted)
        case .author(let owner):
            row = try connection.statement(SQL.ownDeleted)
            try row.bind(4, owner)
        }
        try row.bind(1, end.key)
        try row.bind(2, end.id)
        try row.bind(3, limit + 1)
        var numbers: [Int64] = []
        while try row.step() { numbers.append(row.integer(0)) }
        var items: [DeletedArticle] = []
        for number in numbers.prefix(limit) { items.append(try deletedArticle(number)) }
        let next = numbers.count > limit ? items.last : nil
        return Slice(
            items: items,
            next: next.map { ArticlePosition(key: $0.deletedAt.milliseconds, id: $0.id) })
    }

    private func deletedArticle(_ number: Int64) throws(StoreError) -> DeletedArticle {
        let stored = try stored(number: number)
        let content = stored.revision.content
        return DeletedArticle(
            id: stored.id, slug: content.slug, title: content.title, status: content.state.status,
            revision: stored.lastRevision,
            version: try text(of: stored.version),
            deletedAt: stored.revision.time, actor: try actor(stored.revision.actor),
            owner: stored.owner)
    }
}

extension WriteStep {
    func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) throws(StoreError) -> Article {
        guard let current = try state.stored(.id(id)) else { throw .notFound }
        try edit.audience.checkAccess(to: current)
        try expectation.check(current.version, in: state)
        let earlier = try state.stored(id, at: number)
        var content = earlier.revision.content
        content.owner = current.owner
        // It may have been set by an editor, who decides more about comments than authors do.
        if edit.audience != .editors { content.comments = current.revision.content.comments }
        if current.state != .deleted, content == current.revision.content {
            return try state.present(current, withBody: true, to: edit.audience)
        }
        // It is not published by accident, long after its time.
        if content.state == .scheduled, content.publishedAt.map({ $0 <= edit.time }) ?? true {
            content.state = .draft
            if current.state != .deleted, content == current.revision.content {
                return try state.present(current, withBody: true, to: edit.audience)
            }
        }
        let time = max(edit.time, current.revision.time)
        try record(
            RevisionData(
                action: .restored, actor: try stored(edit.actor), time: time, updatedAt: time,
                content: content, isDeletion: false),
            of: current.number, id: id, createdAt: current.createdAt, after: current)
        return try state.present(
            state.stored(number: current.number), withBody: true, to: edit.audience)
    }
}

extension Revision.Action {
    init(stored: Int64) {
        self =
            switch stored {
            case 0: .created
            case 1: .updated
            case 2: .deleted
            case 3: .restored
            default: .unknown("\(stored)")
            }
    }

    /// The stored number; `nil` for an action that this version does not know.
    var stored: Int64? {
        switch self {
        case .created: 0
        case .updated: 1
        case .deleted: 2
        case .restored: 3
        case .unknown: nil
        }
    }
}
