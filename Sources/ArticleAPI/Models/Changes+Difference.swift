extension Article.Changes {
    /// The patch that turns one article into another.
    ///
    /// `UpdateArticleRequest(id: article.id, changes: .init(from: article, to: edited))`
    ///
    /// Attributes that only the backend sets are ignored, and so is the body if `after` has none,
    /// since lists omit bodies.
    public init(from before: Article, to after: Article) {
        self.init(
            slug: Change(from: before.slug, to: after.slug),
            title: Change(from: before.title, to: after.title),
            summary: Change(from: before.summary, to: after.summary),
            body: after.body.map { Change(from: before.body, to: $0) } ?? .keep,
            language: Change(from: before.language, to: after.language),
            authors: Change(
                from: before.authors.map(\.mention), to: after.authors.map(\.mention)),
            tags: Change(from: before.tags.map(\.name), to: after.tags.map(\.name)),
            heroImage: Self.change(from: before.heroImage, to: after.heroImage),
            status: Change(from: before.status, to: after.status),
            publishedAt: Change(from: before.publishedAt, to: after.publishedAt),
            source: Self.change(from: before.source, to: after.source))
    }

    /// Whether there is nothing to change.
    public var isEmpty: Bool { self == Article.Changes() }

    private static func change(
        from before: Article.HeroImage?, to after: Article.HeroImage?
    ) -> Change<Article.HeroImageChanges> {
        guard before != after else { return .keep }
        guard let after else { return .clear }
        return .set(
            Article.HeroImageChanges(
                url: Change(from: before?.url, to: after.url),
                alternativeText: Change(from: before?.alternativeText, to: after.alternativeText)))
    }

    private static func change(
        from before: Article.Source?, to after: Article.Source?
    ) -> Change<Article.SourceChanges> {
        guard before != after else { return .keep }
        guard let after else { return .clear }
        return .set(
            Article.SourceChanges(
                name: Change(from: before?.name, to: after.name),
                url: Change(from: before?.url, to: after.url)))
    }
}

extension Change {
    /// The change from one value to the other; a missing new value clears the attribute.
    fileprivate init(from before: Value?, to after: Value?) {
        self = before == after ? .keep : after.map { .set($0) } ?? .clear
    }
}

extension Author.Reference {
    /// An author who is only known by name, as typed by an editor: the backend finds or creates the
    /// author when the article is sent.
    ///
    /// The id is provisional: its time is 1970, and the same name gives the same id.
    public init(named name: String) {
        // FNV-1a, in the random bits of the id.
        let hash = name.inNFC.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        guard let id = Author.ID(high: 0x7000, low: 1 << 63 | hash >> 2) else {
            preconditionFailure("programmer error: the version and variant are those of an id")
        }
        self.init(id: id, name: name)
    }

    /// Whether the id was made by `init(named:)` and is unknown to the backend.
    public var isProvisional: Bool { id.high == 0x7000 }

    /// The author as given in a draft.
    public var mention: Author.Mention {
        isProvisional ? .name(name) : .id(id, name: nil)
    }
}
