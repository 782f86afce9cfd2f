public import HTTP

/// Codecs of values that several models share.
extension TextCodec where Value == Timestamp {
    /// RFC 3339; written in UTC with milliseconds.
    public static var timestamp: TextCodec {
        TextCodec(
            "an RFC 3339 time", .text(TextSchema(.timestamp, length: 20...64)),
            parse: { Timestamp($0) }, print: \.description)
    }
}

extension TextCodec {
    /// A UUIDv7 in its 36-character form.
    public static func identifier<Subject>() -> TextCodec where Value == Identifier<Subject> {
        TextCodec(
            "a UUIDv7", .text(TextSchema(.identifier, length: 36...36)),
            parse: { Identifier($0) }, print: \.description)
    }
}

extension TextCodec where Value == String {
    /// A BCP 47 language tag in the recommended case: `en`, `zh-Hant-TW`.
    public static var language: TextCodec {
        TextCodec(
            "a BCP 47 language tag", .text(TextSchema(.language, length: 2...35)),
            parse: { LanguageTag($0)?.text }, print: { $0 },
            fault: { LanguageTag($0) == nil ? "must be a BCP 47 language tag" : nil })
    }

    /// An absolute http(s) URL.
    public static var webAddress: TextCodec {
        TextCodec(
            "an absolute http or https URL", .text(TextSchema(.webAddress, length: 10...2000)),
            parse: { $0 }, print: { $0 }, fault: WebAddress.fault)
    }

    /// A slug chosen by an editor.
    public static var slug: TextCodec {
        normalized(
            "a slug", TextSchema(.slug, length: 1...Slug.limit), fault: { Slug.fault($0) })
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

extension TextCodec where Value == Article.Status {
    /// A status; backends reject an unknown one.
    public static var status: TextCodec {
        let names = Article.Status.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .choice(names),
            parse: { Article.Status(name: $0) }, print: \.name,
            fault: { status in
                guard case .unknown = status else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}

extension Article.Status {
    static let known: [Article.Status] = [.draft, .scheduled, .published, .archived]

    init(name: String) {
        switch name {
        case "draft": self = .draft
        case "scheduled": self = .scheduled
        case "published": self = .published
        case "archived": self = .archived
        default: self = .unknown(name)
        }
    }

    /// The name on the wire.
    var name: String {
        switch self {
        case .draft: "draft"
        case .scheduled: "scheduled"
        case .published: "published"
        case .archived: "archived"
        case .unknown(let name): name
        }
    }
}

extension TextCodec where Value == Revision.Action {
    /// What made a revision.
    public static var action: TextCodec {
        let names = Revision.Action.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .choice(names),
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
    /// What kind of actor made a revision; backends reject an unknown one.
    public static var actorKind: TextCodec {
        let names = Revision.Actor.Kind.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .choice(names),
            parse: { Revision.Actor.Kind(name: $0) }, print: \.name,
            fault: { kind in
                guard case .unknown = kind else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}

extension Revision.Actor.Kind {
    static let known: [Revision.Actor.Kind] = [.key, .operator, .user, .unrecorded]

    init(name: String) {
        self = Self.known.first { $0.name == name } ?? .unknown(name)
    }

    /// The name on the wire.
    var name: String {
        switch self {
        case .key: "key"
        case .operator: "operator"
        case .user: "user"
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

extension TextCodec where Value == IfMatch {
    /// Entity tags, or `*`.
    public static var ifMatch: TextCodec {
        TextCodec(
            "`*` or a list of entity tags in quotation marks",
            .text(TextSchema(.entityTags, length: 1...4000)), parse: { IfMatch($0) },
            print: \.description)
    }
}

extension IfMatch {
    /// The precondition that the current version is this one (`Article.version`,
    /// `Author.version`); `nil` if the text is not valid in an entity tag.
    public init?(version: String) {
        guard let tag = EntityTag(value: version) else { return nil }
        self = .tags([tag])
    }
}

extension TextCodec where Value == String {
    /// A revision, a hyphen, and six characters: `7-x1y2z3`.
    public static var version: TextCodec { .token(8...26) }

    /// The `next` of a page.
    public static var cursor: TextCodec { .token(1...500) }

    /// The key of an idempotent write.
    public static var idempotencyKey: TextCodec { .token(1...200) }
}

extension JSONCodec where Value == Timestamp {
    /// RFC 3339; written in UTC with milliseconds.
    public static var timestamp: JSONCodec {
        .text(.timestamp, plain: { $0.write(to: &$1) }, parse: { Timestamp(plain: $0) })
    }
}

extension JSONCodec {
    /// A UUIDv7 in its 36-character form.
    public static func identifier<Subject>() -> JSONCodec where Value == Identifier<Subject> {
        .text(.identifier(), plain: { $0.write(to: &$1) }, parse: { Identifier(ascii: $0) })
    }
}
