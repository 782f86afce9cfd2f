public import ArticleAPI

/// One step in an article's history, without the content.
///
/// ```swift
/// let page = try await backend.send(FetchRevisionsRequest(id: id))
/// let lines = page.items.map { "\($0.number): \($0.title), \($0.editor ?? "unknown")" }
/// ```
public struct Revision: Sendable, Hashable, Identifiable {
    /// 1 for the first one; incremented by each step.
    public var number: Int
    public var action: Action
    /// The title as of this revision.
    public var title: String
    public var status: Article.Status
    public var createdAt: Timestamp
    /// The actor that made it.
    public var actor: Actor

    /// The actor's name.
    public var editor: String? { actor.name }

    /// The number, which is unique within one article.
    public var id: Int { number }

    public init(
        number: Int, action: Action, title: String, status: Article.Status,
        createdAt: Timestamp, actor: Actor
    ) {
        self.number = number
        self.action = action
        self.title = title
        self.status = status
        self.createdAt = createdAt
        self.actor = actor
    }

    /// The operation that made a revision.
    public enum Action: Sendable, Hashable {
        case created, updated, deleted, restored
        /// A value that this version does not know.
        case unknown(String)
    }

    /// The account, source or server that made a revision.
    public struct Actor: Sendable, Hashable {
        public var kind: Kind
        /// The public id of the key, or the id of the user or the source; `nil` for other kinds.
        public var id: String?
        /// The current name; `nil` if there is none, as for an account that was erased.
        public var name: String?

        public init(kind: Kind, id: String? = nil, name: String? = nil) {
            self.kind = kind
            self.id = id
            self.name = name
        }

        public enum Kind: Sendable, Hashable {
            /// An API key.
            case key
            /// The operator of the server: imports, commands on the machine, the operator's key.
            case `operator`
            /// The account of a person.
            case user
            /// The server itself: the publication of scheduled articles.
            case system
            /// A feed or another Broadsheet whose articles are taken over (``ContentSource``).
            case source
            /// `unknown` in JSON. The revision was made when servers recorded nothing but a name.
            case unrecorded
            /// A value of a newer server that this version does not know.
            case unknown(String)
        }
    }
}

extension Revision: JSONModel {
    public static let shape = ObjectCodec(
        named: "Revision",
        {
            (
                number: Int, action: Action, title: String, status: Article.Status,
                createdAt: Timestamp, editor: String?, actor: Actor?
            ) in
            // Servers before actors sent the name alone.
            Revision(
                number: number, action: action, title: title, status: status,
                createdAt: createdAt, actor: actor ?? Actor(kind: .unrecorded, name: editor))
        },
        .required("number", \.number, .integer(1...Int.max)),
        .required("action", \.action, .text(.action)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("status", \.status, .text(.status)),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("editor", \.editor, .text(.actorName)),
        .optional("actor", { @Sendable in $0.actor }, Actor.format))
}

extension Revision.Actor: JSONModel {
    public static let shape = ObjectCodec(
        named: "Actor", Self.init,
        .required("kind", \.kind, .text(.actorKind)),
        .optional("id", \.id, .text(.line(1...100))),
        .optional("name", \.name, .text(.actorName)))
}

extension TextCodec where Value == String {
    /// The name of a key or a person.
    fileprivate static var actorName: TextCodec { .line(1...200) }
}

extension TextCodec where Value == Revision.Action {
    /// The operation that made a revision.
    public static var action: TextCodec {
        let names = Revision.Action.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("RevisionAction", .choice(names)),
            parse: { Revision.Action(name: $0) }, print: \.name)
    }
}

extension Revision.Action {
    static let known: [Revision.Action] = [.created, .updated, .deleted, .restored]

    init(name: String) {
        self = Self.known.first { $0.name == name } ?? .unknown(name)
    }

    /// The name on the wire.
    var name: String {
        switch self {
        case .created: "created"
        case .updated: "updated"
        case .deleted: "deleted"
        case .restored: "restored"
        case .unknown(let name): name
        }
    }
}

extension TextCodec where Value == Revision.Actor.Kind {
    /// The kind of actor that made a revision; backends reject an unknown one.
    public static var actorKind: TextCodec {
        let names = Revision.Actor.Kind.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("ActorKind", .choice(names)),
            parse: { Revision.Actor.Kind(name: $0) }, print: \.name,
            fault: { kind in
                guard case .unknown = kind else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}

extension Revision.Actor.Kind {
    static let known: [Revision.Actor.Kind] = [
        .key, .operator, .user, .system, .source, .unrecorded,
    ]

    init(name: String) {
        self = Self.known.first { $0.name == name } ?? .unknown(name)
    }

    /// The name on the wire.
    var name: String {
        switch self {
        case .key: "key"
        case .operator: "operator"
        case .user: "user"
        case .system: "system"
        case .source: "source"
        case .unrecorded: "unknown"
        case .unknown(let name): name
        }
    }
}

extension Revision.Action: Codable {
    /// Decodes the wire name of the action.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.action.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.action.encode(self, to: encoder)
    }
}

extension Revision.Actor.Kind: Codable {
    /// Decodes the wire name of the kind.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.actorKind.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.actorKind.encode(self, to: encoder)
    }
}
