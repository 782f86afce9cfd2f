extension TextCodec where Value == Article.Status {
    /// A status; backends reject an unknown one.
    public static var status: TextCodec {
        let names = Article.Status.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("ArticleStatus", .choice(names)),
            parse: { Article.Status(name: $0) }, print: \.name,
            fault: { status in
                guard case .unknown = status else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
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

extension TextCodec where Value == Article.Key {
    /// An id if the text is one; any other text is looked up as a slug.
    public static var articleKey: TextCodec {
        TextCodec(
            "an id or a slug", .text(TextSchema(.articleKey, length: 1...Slug.limit)),
            parse: { text in Article.ID(text).map(Article.Key.id) ?? .slug(text.inNFC) },
            print: { key in
                switch key {
                case .id(let id): id.description
                case .slug(let slug): slug
                }
            })
    }
}

extension TextCodec where Value == String {
    /// An article's slug: a slug chosen by an editor, or the id if the title has no letters.
    public static var servedSlug: TextCodec {
        normalized(
            "a slug", TextSchema(.slug, length: 1...Slug.limit),
            fault: { Article.ID($0) == nil ? Slug.fault($0, isServed: true) : nil })
    }
}
