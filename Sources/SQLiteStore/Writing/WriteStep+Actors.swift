import ArticleAPI
import ArticleStore

extension WriteStep {
    /// The actor of an edit, which gets a row for its first one.
    func stored(_ actor: Edit.Actor) throws(StoreError) -> StoredActor {
        switch actor {
        case .operator: .theOperator
        case .key(let id): .numbered(try number(of: .key, id, name: nil))
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
        case (.key, let id?): return .numbered(try number(of: .key, id, name: actor.name))
        case (.user, let id?): return .numbered(try number(of: .user, id, name: actor.name))
        case (.unrecorded, nil): return .unrecorded(name: actor.name)
        default: throw .conflict("\(revision): its actor is invalid")
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
