import ArticleAPI
import ArticleStore

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
            return try names.actor(number) { () throws(StoreError) in
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

    /// The actor of a restored revision. Throws `.conflict` with this name of the revision if there
    /// is no such actor.
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
        try connection.names.actor(.system, "") { () throws(StoreError) in
            let row = try connection.statement(SQL.systemNumber)
            guard try row.step() else { throw .corrupt("the actor of the system is missing") }
            return row.integer(0)
        }
    }

    /// The row of an actor. A new one keeps the name only if it cannot be looked up by the id.
    private func number(
        of kind: ActorKind, _ id: String, name: String?
    ) throws(StoreError) -> Int64 {
        try connection.names.actor(kind, id) { () throws(StoreError) in
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
