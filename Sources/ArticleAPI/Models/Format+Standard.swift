public import HTTP

/// The forms of the values that many models share.
extension TextFormat where Value == Timestamp {
    /// RFC 3339; written in UTC with milliseconds.
    public static var timestamp: TextFormat {
        TextFormat(
            "an RFC 3339 time", .text(TextSchema(.timestamp, length: 20...64)),
            parse: { Timestamp($0) }, print: \.description)
    }
}

extension TextFormat {
    /// A UUIDv7 in its 36-character form.
    public static func identifier<Subject>() -> TextFormat where Value == Identifier<Subject> {
        TextFormat(
            "a UUIDv7", .text(TextSchema(.identifier, length: 36...36)),
            parse: { Identifier($0) }, print: \.description)
    }
}

extension TextFormat where Value == String {
    /// A BCP 47 language tag in its usual case: `en`, `zh-Hant-TW`.
    public static var language: TextFormat {
        TextFormat(
            "a BCP 47 language tag", .text(TextSchema(.language, length: 2...35)),
            parse: { LanguageTag($0)?.text }, print: { $0 },
            fault: { LanguageTag($0) == nil ? "is not a BCP 47 language tag" : nil })
    }

    /// An absolute http(s) URL.
    public static var webAddress: TextFormat {
        TextFormat(
            "an absolute http or https URL", .text(TextSchema(.webAddress, length: 10...2000)),
            parse: { $0 }, print: { $0 }, fault: WebAddress.fault)
    }

    /// A slug that an editor chose.
    public static var slug: TextFormat {
        TextFormat(
            "a slug", .text(TextSchema(.slug, length: 1...Slug.limit)), parse: \.inNFC,
            print: { $0 }, fault: Slug.fault)
    }
}

extension TextFormat where Value == Article.Status {
    /// A status; one that is not known is refused by a backend.
    public static var status: TextFormat {
        .openChoice(
            [
                ("draft", .draft), ("scheduled", .scheduled), ("published", .published),
                ("archived", .archived),
            ],
            unknown: Article.Status.unknown,
            name: { if case .unknown(let name) = $0 { name } else { nil } })
    }
}

extension TextFormat where Value == Revision.Action {
    /// What made a revision.
    public static var action: TextFormat {
        .openChoice(
            [
                ("created", .created), ("updated", .updated), ("deleted", .deleted),
                ("restored", .restored),
            ],
            unknown: Revision.Action.unknown,
            name: { if case .unknown(let name) = $0 { name } else { nil } })
    }
}

extension TextFormat where Value: Hashable & Sendable {
    /// One of these, or, from a newer backend, one that this version does not know.
    static func openChoice(
        _ cases: [(String, Value)], unknown: @escaping @Sendable (String) -> Value,
        name: @escaping @Sendable (Value) -> String?
    ) -> TextFormat {
        let list = cases.map(\.0).joined(separator: ", ")
        return TextFormat(
            "one of \(list)", .choice(cases.map(\.0)),
            parse: { text in cases.first { $0.0 == text }?.1 ?? unknown(text) },
            print: { value in name(value) ?? cases.first { $0.1 == value }?.0 ?? "" },
            fault: { name($0) == nil ? nil : "is not one of \(list)" })
    }
}

extension TextFormat where Value == Article.Key {
    /// An id where it reads as one; anything else is looked up as a slug.
    public static var articleKey: TextFormat {
        TextFormat(
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

extension TextFormat where Value == IfMatch {
    /// Entity tags, or `*`.
    public static var ifMatch: TextFormat {
        TextFormat(
            "`*` or a list of entity tags in quotation marks",
            .text(TextSchema(.entityTags, length: 1...4000)), parse: { IfMatch($0) },
            print: \.description)
    }
}

extension TextFormat where Value == String {
    /// What a page gave as `next`.
    public static var cursor: TextFormat { .token(1...400) }
}
