extension Article {
    /// The content of a new article; the backend sets everything else.
    public struct Draft: Sendable, Hashable {
        /// A UUIDv7 chosen by the client, so that a repeated POST cannot create two articles.
        public var id: ID?
        public var slug: String?
        public var title: String
        public var summary: String
        public var body: String
        /// `nil` for the backend's default language.
        public var language: String?
        public var authors: [Author.Mention]
        /// Display names.
        public var tags: [String]
        public var heroImage: HeroImage?
        /// `nil` for a draft.
        public var status: Status?
        public var publishedAt: Timestamp?
        public var source: Source?
        /// `nil` for the backend's default.
        public var comments: CommentPolicy?
        /// A user with the role `author` or above. An author's new article is the author's own;
        /// only editors may choose another user.
        public var owner: User.ID?

        public init(
            id: ID? = nil, slug: String? = nil, title: String, summary: String = "",
            body: String = "", language: String? = nil, authors: [Author.Mention] = [],
            tags: [String] = [], heroImage: HeroImage? = nil, status: Status? = nil,
            publishedAt: Timestamp? = nil, source: Source? = nil, comments: CommentPolicy? = nil,
            owner: User.ID? = nil
        ) {
            self.id = id
            self.slug = slug
            self.title = title
            self.summary = summary
            self.body = body
            self.language = language
            self.authors = authors
            self.tags = tags
            self.heroImage = heroImage
            self.status = status
            self.publishedAt = publishedAt
            self.source = source
            self.comments = comments
            self.owner = owner
        }
    }

    /// The new content of a whole article (`PUT`): its representation with edits.
    ///
    /// It may contain the read-only attributes of the representation, unchanged. Without an owner,
    /// the article keeps the one that it has.
    public struct Replacement: Sendable, Hashable {
        public var content: Draft
        public var readOnly: ReadOnly

        public init(content: Draft, readOnly: ReadOnly = ReadOnly()) {
            self.content = content
            self.readOnly = readOnly
        }
    }

    /// The attributes that only the backend sets, if a replacement repeats them.
    public struct ReadOnly: Sendable, Hashable {
        public var bodyHTML: String?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var revision: Int?
        public var version: String?
        public var wordCount: Int?
        public var readingMinutes: Int?
        public var commentCount: Int?

        public init(
            bodyHTML: String? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
            revision: Int? = nil, version: String? = nil, wordCount: Int? = nil,
            readingMinutes: Int? = nil, commentCount: Int? = nil
        ) {
            self.bodyHTML = bodyHTML
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.revision = revision
            self.version = version
            self.wordCount = wordCount
            self.readingMinutes = readingMinutes
            self.commentCount = commentCount
        }
    }

    /// A merge patch (RFC 7396): only the attributes to change.
    public struct Changes: Sendable, Hashable {
        public var slug: Change<String>
        public var title: Change<String>
        public var summary: Change<String>
        public var body: Change<String>
        public var language: Change<String>
        public var authors: Change<[Author.Mention]>
        public var tags: Change<[String]>
        public var heroImage: Change<HeroImageChanges>
        public var status: Change<Status>
        public var publishedAt: Change<Timestamp>
        public var source: Change<SourceChanges>
        public var comments: Change<CommentPolicy>
        /// Only editors may change it.
        public var owner: Change<User.ID>

        public init(
            slug: Change<String> = .keep, title: Change<String> = .keep,
            summary: Change<String> = .keep, body: Change<String> = .keep,
            language: Change<String> = .keep, authors: Change<[Author.Mention]> = .keep,
            tags: Change<[String]> = .keep, heroImage: Change<HeroImageChanges> = .keep,
            status: Change<Status> = .keep, publishedAt: Change<Timestamp> = .keep,
            source: Change<SourceChanges> = .keep, comments: Change<CommentPolicy> = .keep,
            owner: Change<User.ID> = .keep
        ) {
            self.slug = slug
            self.title = title
            self.summary = summary
            self.body = body
            self.language = language
            self.authors = authors
            self.tags = tags
            self.heroImage = heroImage
            self.status = status
            self.publishedAt = publishedAt
            self.source = source
            self.comments = comments
            self.owner = owner
        }
    }

}

extension Article.Draft: JSONModel {
    public static let shape = ObjectCodec(
        named: "ArticleDraft", Self.init,
        .optional("id", \.id, .identifier()),
        .optional("slug", \.slug, .text(.slug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .defaulted("summary", to: "", \.summary, .text(.lines(ArticleLimits.summary))),
        .defaulted(
            "body", to: "", \.body, .text(.lines(limitBytes: ArticleLimits.bodyBytes))),
        .optional("language", \.language, .text(.language)),
        .defaulted("authors", to: [], \.authors, .authors),
        .defaulted("tags", to: [], \.tags, .tagNames),
        .optional("heroImage", \.heroImage, Article.HeroImage.format),
        .optional("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .optional("source", \.source, Article.Source.format),
        .optional("comments", \.comments, .text(.commentPolicy)),
        .optional("owner", \.owner, .identifier()))
}

extension Article.Replacement: JSONModel {
    /// The attributes of a draft, and the read-only ones, at one level and in the article's order.
    public static let shape = ObjectCodec(
        named: "ArticleReplacement",
        Self.init(
            id:slug:title:summary:body:bodyHTML:language:authors:tags:heroImage:status:publishedAt:
            createdAt:updatedAt:revision:version:source:wordCount:readingMinutes:comments:
            commentCount:owner:),
        .optional("id", \.content.id, .identifier()),
        .optional("slug", \.content.slug, .text(.servedSlug)),
        .required("title", \.content.title, .text(.line(ArticleLimits.title))),
        .defaulted("summary", to: "", \.content.summary, .text(.lines(ArticleLimits.summary))),
        .defaulted(
            "body", to: "", \.content.body, .text(.lines(limitBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.readOnly.bodyHTML,
            .text(.lines(limitBytes: ArticleLimits.bodyHTMLBytes))),
        .optional("language", \.content.language, .text(.language)),
        .defaulted("authors", to: [], \.content.authors, .authors),
        .defaulted("tags", to: [], \.content.tags, .tagNames),
        .optional("heroImage", \.content.heroImage, Article.HeroImage.format),
        .optional("status", \.content.status, .text(.status)),
        .optional("publishedAt", \.content.publishedAt, .timestamp),
        .optional("createdAt", \.readOnly.createdAt, .timestamp),
        .optional("updatedAt", \.readOnly.updatedAt, .timestamp),
        .optional("revision", \.readOnly.revision, .integer(1...Int.max)),
        .optional("version", \.readOnly.version, .text(.version)),
        .optional("source", \.content.source, Article.Source.format),
        .optional("wordCount", \.readOnly.wordCount, .integer(0...Int.max)),
        .optional("readingMinutes", \.readOnly.readingMinutes, .integer(0...Int.max)),
        .optional("comments", \.content.comments, .text(.commentPolicy)),
        .optional("commentCount", \.readOnly.commentCount, .integer(0...Int.max)),
        .optional("owner", \.content.owner, .identifier()))

    private init(
        id: Article.ID?, slug: String?, title: String, summary: String, body: String,
        bodyHTML: String?, language: String?, authors: [Author.Mention], tags: [String],
        heroImage: Article.HeroImage?, status: Article.Status?, publishedAt: Timestamp?,
        createdAt: Timestamp?, updatedAt: Timestamp?, revision: Int?, version: String?,
        source: Article.Source?, wordCount: Int?, readingMinutes: Int?,
        comments: CommentPolicy?, commentCount: Int?, owner: User.ID?
    ) {
        self.init(
            content: Article.Draft(
                id: id, slug: slug, title: title, summary: summary, body: body,
                language: language, authors: authors, tags: tags, heroImage: heroImage,
                status: status, publishedAt: publishedAt, source: source, comments: comments,
                owner: owner),
            readOnly: Article.ReadOnly(
                bodyHTML: bodyHTML, createdAt: createdAt, updatedAt: updatedAt, revision: revision,
                version: version, wordCount: wordCount, readingMinutes: readingMinutes,
                commentCount: commentCount))
    }
}

extension Article.Changes: JSONModel {
    public static let shape = ObjectCodec(
        named: "ArticleChanges", Self.init,
        .change("slug", \.slug, .text(.slug)),
        .change("title", \.title, .text(.line(ArticleLimits.title))),
        .change("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .change("body", \.body, .text(.lines(limitBytes: ArticleLimits.bodyBytes))),
        .change("language", \.language, .text(.language)),
        .change("authors", \.authors, .authors),
        .change("tags", \.tags, .tagNames),
        .change("heroImage", \.heroImage, Article.HeroImageChanges.format),
        .change("status", \.status, .text(.status)),
        .change("publishedAt", \.publishedAt, .timestamp),
        .change("source", \.source, Article.SourceChanges.format),
        .change("comments", \.comments, .text(.commentPolicy)),
        .change("owner", \.owner, .identifier()))
}

extension Article.Draft {
    /// The attributes of an edit in their order, for a merge with another one.
    static let mergedAttributes: [Article.Merge.Attribute] = [
        .init("slug", \.slug), .init("title", \.title), .init("summary", \.summary),
        .init("body", \.body), .init("language", \.language), .init("authors", \.authors),
        .init("tags", \.tags), .init("heroImage", \.heroImage), .init("status", \.status),
        .init("publishedAt", \.publishedAt), .init("source", \.source),
        .init("comments", \.comments), .init("owner", \.owner),
    ]
}

/// Edits as values: articles with merge patches applied.
extension Article {
    /// A draft with the content of this article, from which an edit can start.
    ///
    /// The body is empty if a list omitted it, so fetch the article itself before editing it.
    public var draft: Draft {
        Draft(
            id: id, slug: slug, title: title, summary: summary, body: body ?? "",
            language: language, authors: authors.map(\.mention), tags: tags.map(\.name),
            heroImage: heroImage, status: status, publishedAt: publishedAt, source: source,
            comments: comments, owner: owner)
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
        if changes.tags != .keep { article.tags = draft.tags.map(ArticleTag.init(named:)) }
        article.heroImage = draft.heroImage
        article.status = draft.status ?? .draft
        article.publishedAt = draft.publishedAt
        article.source = draft.source
        article.comments = draft.comments
        article.owner = draft.owner
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
        draft.heroImage = changes.heroImage.merged(into: heroImage, "heroImage", &faults)
        draft.source = changes.source.merged(into: source, "source", &faults)
        draft.comments = changes.comments.applied(to: comments, cleared: nil)
        draft.owner = changes.owner.applied(to: owner, cleared: nil)
        return (draft, faults)
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
            heroImage: Change(from: before.heroImage, to: after.heroImage),
            status: Change(from: before.status, to: after.status),
            publishedAt: Change(from: before.publishedAt, to: after.publishedAt),
            source: Change(from: before.source, to: after.source),
            comments: Change(from: before.comments, to: after.comments),
            owner: Change(from: before.owner, to: after.owner))
    }

    /// Creates the changes that turn one draft into the other. Values that only the backend can
    /// set, if the draft leaves them open (`slug`, `language`, `status`), are kept.
    package init(from before: Article.Draft, to after: Article.Draft) {
        self.init(
            slug: after.slug.map { Change(from: before.slug, to: $0) } ?? .keep,
            title: Change(from: before.title, to: after.title),
            summary: Change(from: before.summary, to: after.summary),
            body: Change(from: before.body, to: after.body),
            language: after.language.map { Change(from: before.language, to: $0) } ?? .keep,
            authors: Change(from: before.authors, to: after.authors),
            tags: Change(from: before.tags, to: after.tags),
            heroImage: Change(from: before.heroImage, to: after.heroImage),
            status: after.status.map { Change(from: before.status, to: $0) } ?? .keep,
            publishedAt: Change(from: before.publishedAt, to: after.publishedAt),
            source: Change(from: before.source, to: after.source),
            comments: Change(from: before.comments, to: after.comments),
            owner: Change(from: before.owner, to: after.owner))
    }

    /// True if there is nothing to change.
    public var isEmpty: Bool { self == Article.Changes() }
}
