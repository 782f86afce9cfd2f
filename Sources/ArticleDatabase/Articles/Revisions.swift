public import ArticleAPI
public import ArticleAdminAPI
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
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let article = try step.restoreArticle(
                id, to: number, expecting: expectation, by: edit)
            try step.keep(.article(article, isNew: false), of: edit)
            return article
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

/// The actor that made a revision, as in its columns `actor` and `editor`.
enum StoredActor {
    /// The row of `actors`.
    case numbered(Int64)
    /// A name is all that is known.
    case unrecorded(name: String?)

    /// The row of the operator.
    static let theOperator = StoredActor.numbered(1)

    init(_ row: borrowing Statement, actor: Int32, editor: Int32) {
        self =
            row.optionalInteger(actor).map(StoredActor.numbered)
            ?? .unrecorded(name: row.optionalText(editor))
    }

    var number: Int64? {
        if case .numbered(let number) = self { number } else { nil }
    }

    var name: String? {
        if case .unrecorded(let name) = self { name } else { nil }
    }
}

extension SQL {
    fileprivate static let actorNumber: StaticString =
        "SELECT number FROM actors WHERE kind = ?1 AND id = ?2"
    fileprivate static let actorByNumber: StaticString = """
        SELECT actors.kind, actors.id, coalesce(keys.name, actors.name) FROM actors
        LEFT JOIN keys ON actors.kind = 1 AND keys.id = actors.id WHERE actors.number = ?1
        """
    static let displayName: StaticString =
        "SELECT display_name FROM users WHERE id = ?1"
    static let forgetActorName: StaticString =
        "UPDATE actors SET name = NULL WHERE kind = 2 AND id = ?1"
    fileprivate static let renameActor: StaticString =
        "UPDATE actors SET name = ?3 WHERE kind = ?1 AND id = ?2"
    fileprivate static let systemNumber: StaticString = "SELECT number FROM actors WHERE kind = 3"
    fileprivate static let insertActor: StaticString = """
        INSERT INTO actors (kind, id, name) VALUES (?1, ?2, CASE
            WHEN ?1 = 1 AND EXISTS (SELECT 1 FROM keys WHERE keys.id = ?2) THEN NULL ELSE ?3 END)
        """
}

extension Revision.Actor {
    /// Reads the columns of `SQL.actorByNumber`.
    init(_ row: borrowing Statement) throws(StoreError) {
        let id = row.optionalText(1)
        let name = row.optionalText(2)
        switch ActorKind(rawValue: row.integer(0)) {
        case .operator: self.init(kind: .operator, name: "operator")
        case .key: self.init(kind: .key, id: id, name: name)
        case .user: self.init(kind: .user, id: id, name: name)
        case .system: self.init(kind: .system, name: "system")
        case .source: self.init(kind: .source, id: id, name: name)
        case nil: throw .corrupt("an actor has the kind \(row.integer(0))")
        }
    }
}

extension Snapshot {
    /// An actor with its current name.
    func actor(_ stored: StoredActor) throws(StoreError) -> Revision.Actor {
        switch stored {
        case .unrecorded(let name): return Revision.Actor(kind: .unrecorded, name: name)
        case .numbered(let number):
            return try names.actors.value(number) { () throws(StoreError) in
                let row = try connection.statement(SQL.actorByNumber)
                try row.bind(1, number)
                guard try row.step() else { throw .corrupt("actor \(number) is missing") }
                var actor = try Revision.Actor(row)
                if actor.kind == .user, let id = actor.id.flatMap({ UserRecord.ID($0) }) {
                    actor.name = try displayName(ofUser: id) ?? actor.name
                }
                return actor
            }
        }
    }

    /// Returns the display name of a user, if there is one with this id.
    func displayName(ofUser id: UserRecord.ID) throws(StoreError) -> String? {
        let row = try connection.statement(SQL.displayName)
        try row.bind(1, id)
        return try row.step() ? row.text(0) : nil
    }
}

extension WriteStep {
    /// The actor of an edit, which gets a row for its first one.
    func stored(_ actor: Edit.Actor) throws(StoreError) -> StoredActor {
        switch actor {
        case .operator: .theOperator
        case .system: .numbered(try systemNumber())
        case .source(let id, let name):
            .numbered(try number(of: .source, id.description, name: name))
        case .key(let id): .numbered(try number(of: .key, id, name: nil))
        case .user(let id): .numbered(try number(of: .user, id.description, name: nil))
        case .unrecorded(let name): .unrecorded(name: name)
        }
    }

    /// The actor of a restored revision. Throws `.conflict` with this name of the revision if the
    /// actor does not exist.
    func stored(
        _ actor: Revision.Actor, of revision: String
    ) throws(StoreError) -> StoredActor {
        switch (actor.kind, actor.id) {
        case (.operator, nil): return .theOperator
        case (.system, nil): return .numbered(try systemNumber())
        case (.source, let id?): return .numbered(try number(of: .source, id, name: actor.name))
        case (.key, let id?): return .numbered(try number(of: .key, id, name: actor.name))
        case (.user, let id?):
            let isHere = try UserRecord.ID(id).map(state.userNumber) ?? nil != nil
            return .numbered(try number(of: .user, id, name: isHere ? nil : actor.name))
        case (.unrecorded, nil): return .unrecorded(name: actor.name)
        default: throw .conflict("\(revision): its actor is invalid")
        }
    }

    /// Removes the name that an export gave a user who made revisions.
    func forgetActorName(_ id: UserRecord.ID) throws(StoreError) {
        let row = try connection.statement(SQL.forgetActorName)
        try row.bind(1, id.description)
        try row.run()
        connection.names.forgetActors()
    }

    /// Gives a source that has made revisions its present name.
    func renameActor(_ id: ContentSource.ID, to name: String) throws(StoreError) {
        let row = try connection.statement(SQL.renameActor)
        try row.bind(1, ActorKind.source.rawValue)
        try row.bind(2, id.description)
        try row.bind(3, name)
        try row.run()
        connection.names.forgetActors()
    }

    /// The row of the server itself, which every file has.
    private func systemNumber() throws(StoreError) -> Int64 {
        try connection.names.actorNumbers.value(.init(kind: .system, id: "")) {
            () throws(StoreError) in
            let row = try connection.statement(SQL.systemNumber)
            guard try row.step() else { throw .corrupt("the actor of the system is missing") }
            return row.integer(0)
        }
    }

    /// The row of an actor. A new one keeps the name only if it cannot be looked up by the id.
    private func number(
        of kind: ActorKind, _ id: String, name: String?
    ) throws(StoreError) -> Int64 {
        try connection.names.actorNumbers.value(.init(kind: kind, id: id)) {
            () throws(StoreError) in
            let known = try connection.statement(SQL.actorNumber)
            try known.bind(1, kind.rawValue)
            try known.bind(2, id)
            if try known.step() { return known.integer(0) }
            let row = try connection.statement(SQL.insertActor)
            try row.bind(1, kind.rawValue)
            try row.bind(2, id)
            try row.bind(3, name)
            return try row.insert()
        }
    }
}
