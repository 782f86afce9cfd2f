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
