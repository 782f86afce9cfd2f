import ArticleAPI
import ArticleStore

/// Who made a revision, as in its columns `actor` and `editor`.
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

/// The kinds of actors in `actors`.
enum ActorKind: Int64 {
    case `operator`, key, user
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
        case nil: throw .corrupt("an actor has the kind \(row.integer(0))")
        }
    }
}
