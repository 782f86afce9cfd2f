/// Edits as values: articles with merge patches applied.
extension Article {
    /// A draft with the content of this article, from which an edit can start.
    ///
    /// The body is empty if a list omitted it, so fetch the article itself before editing it.
    public var draft: Draft {
        Draft(
            id: id, slug: slug, title: title, summary: summary, body: body ?? "",
            language: language, authors: authors.map(\.mention), tags: tags.map(\.name),
            heroImage: heroImage, status: status, publishedAt: publishedAt, source: source)
    }

    /// This article with a merge patch applied (RFC 7396 §2), as a draft of the new value.
    ///
    /// - Throws: `InvalidValue` with a fault for each attribute that cannot be cleared.
    public func draft(applying changes: Changes) throws(InvalidValue) -> Draft {
        let (draft, faults) = patched(changes)
        guard faults.isEmpty else { throw InvalidValue(faults: faults) }
        return draft
    }

    /// This article as it will probably be once the backend has made the changes, for a screen that
    /// does not wait for the reply.
    ///
    /// `article = article.applying(changes)` shows the edit at once; keep the previous article in
    /// case the backend rejects it.
    ///
    /// The revision and times do not change, since only the backend sets them, and neither does
    /// anything that the backend would reject. An author without an id gets a provisional one
    /// (`Author.Reference.init(named:)`).
    public func applying(_ changes: Changes) -> Article {
        let draft = patched(changes).draft
        var article = self
        article.title = draft.title
        article.slug = draft.slug ?? slug
        article.summary = draft.summary
        article.language = draft.language ?? language
        if changes.body != .keep {
            let measure = TextMeasure(draft.body)
            article.body = draft.body
            article.bodyHTML = nil
            article.wordCount = measure.words
            article.readingMinutes = measure.readingMinutes
        }
        if changes.authors != .keep { article.authors = draft.authors.map(reference) }
        if changes.tags != .keep { article.tags = draft.tags.map(Tag.init(named:)) }
        article.heroImage = draft.heroImage
        article.status = draft.status ?? .draft
        article.publishedAt = draft.publishedAt
        article.source = draft.source
        return article
    }

    /// The author for the by-line: if possible, one that this article already has.
    private func reference(_ mention: Author.Mention) -> Author.Reference {
        switch mention {
        case .id(let id, let name):
            authors.first { $0.id == id } ?? Author.Reference(id: id, name: name ?? "")
        case .name(let name):
            authors.first { $0.name == name } ?? Author.Reference(named: name)
        }
    }

    private func patched(_ changes: Changes) -> (draft: Draft, faults: [JSONFault]) {
        var draft = draft
        var faults: [JSONFault] = []
        draft.title = changes.title.applied(to: title, in: ["title"], &faults) ?? title
        draft.slug = changes.slug.applied(to: slug, in: ["slug"], &faults)
        draft.summary = changes.summary.applied(to: summary, cleared: "")
        draft.body = changes.body.applied(to: draft.body, cleared: "")
        draft.language = changes.language.applied(to: language, cleared: nil)
        draft.authors = changes.authors.applied(to: draft.authors, cleared: [])
        draft.tags = changes.tags.applied(to: draft.tags, cleared: [])
        draft.status = changes.status.applied(to: status, cleared: nil)
        draft.publishedAt = changes.publishedAt.applied(to: publishedAt, cleared: nil)
        draft.heroImage = merged(heroImage, changes.heroImage, &faults)
        draft.source = merged(source, changes.source, &faults)
        return (draft, faults)
    }

    private func merged(
        _ current: HeroImage?, _ change: Change<HeroImageChanges>, _ faults: inout [JSONFault]
    ) -> HeroImage? {
        switch change {
        case .keep: return current
        case .clear: return nil
        case .set(let changes):
            let url = changes.url.applied(to: current?.url, in: ["heroImage", "url"], &faults)
            guard let url else { return current }
            return HeroImage(
                url: url,
                alternativeText: changes.alternativeText.applied(
                    to: current?.alternativeText, cleared: nil))
        }
    }

    private func merged(
        _ current: Source?, _ change: Change<SourceChanges>, _ faults: inout [JSONFault]
    ) -> Source? {
        switch change {
        case .keep: return current
        case .clear: return nil
        case .set(let changes):
            let name = changes.name.applied(to: current?.name, in: ["source", "name"], &faults)
            guard let name else { return current }
            return Source(name: name, url: changes.url.applied(to: current?.url, cleared: nil))
        }
    }
}

extension Change {
    /// The new value of an attribute that has a default.
    fileprivate func applied<Result>(
        to current: Result, cleared: Result, _ wrap: (Value) -> Result
    ) -> Result {
        switch self {
        case .keep: current
        case .clear: cleared
        case .set(let value): wrap(value)
        }
    }

    fileprivate func applied(to current: Value, cleared: Value) -> Value {
        applied(to: current, cleared: cleared) { $0 }
    }

    fileprivate func applied(to current: Value?, cleared: Value?) -> Value? {
        applied(to: current, cleared: cleared) { $0 }
    }

    /// The new value of a required attribute. Clearing it is a fault, and so is keeping an absent
    /// one; then the attribute stays as it is.
    fileprivate func applied(
        to current: Value?, in path: [String], _ faults: inout [JSONFault]
    ) -> Value? {
        switch self {
        case .set(let value): return value
        case .clear: faults.append(JSONFault(path, .rejected("cannot be null")))
        case .keep: if current == nil { faults.append(JSONFault(path, .missing)) }
        }
        return current
    }
}

extension JSONFault {
    fileprivate init(_ names: [String], _ reason: Reason) {
        self.init(path: JSONPath(names.map { .name($0) }), reason: reason)
    }
}

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
