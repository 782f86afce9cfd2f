extension Article.Draft: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("id", \.id, .identifier()),
        .optional("slug", \.slug, .text(.slug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .defaulted("summary", to: "", \.summary, .text(.lines(ArticleLimits.summary))),
        .defaulted(
            "body", to: "", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional("language", \.language, .text(.language)),
        .defaulted("authors", to: [], \.authors, .authors),
        .defaulted("tags", to: [], \.tags, .tagNames),
        .optional("heroImage", \.heroImage, Article.HeroImage.format),
        .optional("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .optional("source", \.source, Article.Source.format))
}

extension Article.Replacement: JSONModel {
    /// The attributes of a draft, and the read-only ones, at one level and in the article's order.
    public static let shape = ObjectCodec(
        Self.init(
            id:slug:title:summary:body:bodyHTML:language:authors:tags:heroImage:status:publishedAt:
            createdAt:updatedAt:revision:version:source:wordCount:readingMinutes:),
        .optional("id", \.content.id, .identifier()),
        .optional("slug", \.content.slug, .text(.servedSlug)),
        .required("title", \.content.title, .text(.line(ArticleLimits.title))),
        .defaulted("summary", to: "", \.content.summary, .text(.lines(ArticleLimits.summary))),
        .defaulted(
            "body", to: "", \.content.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.readOnly.bodyHTML,
            .text(.lines(maximumBytes: ArticleLimits.bodyHTMLBytes))),
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
        .optional("readingMinutes", \.readOnly.readingMinutes, .integer(0...Int.max)))

    private init(
        id: Article.ID?, slug: String?, title: String, summary: String, body: String,
        bodyHTML: String?, language: String?, authors: [Author.Mention], tags: [String],
        heroImage: Article.HeroImage?, status: Article.Status?, publishedAt: Timestamp?,
        createdAt: Timestamp?, updatedAt: Timestamp?, revision: Int?, version: String?,
        source: Article.Source?, wordCount: Int?, readingMinutes: Int?
    ) {
        self.init(
            content: Article.Draft(
                id: id, slug: slug, title: title, summary: summary, body: body,
                language: language, authors: authors, tags: tags, heroImage: heroImage,
                status: status, publishedAt: publishedAt, source: source),
            readOnly: Article.ReadOnly(
                bodyHTML: bodyHTML, createdAt: createdAt, updatedAt: updatedAt, revision: revision,
                version: version, wordCount: wordCount, readingMinutes: readingMinutes))
    }
}

extension Article.Changes: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .change("slug", \.slug, .text(.slug)),
        .change("title", \.title, .text(.line(ArticleLimits.title))),
        .change("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .change("body", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .change("language", \.language, .text(.language)),
        .change("authors", \.authors, .authors),
        .change("tags", \.tags, .tagNames),
        .change("heroImage", \.heroImage, Article.HeroImageChanges.format),
        .change("status", \.status, .text(.status)),
        .change("publishedAt", \.publishedAt, .timestamp),
        .change("source", \.source, Article.SourceChanges.format))
}

extension Article.HeroImageChanges: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .change("url", \.url, .text(.webAddress)),
        .change("alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension Article.SourceChanges: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .change("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .change("url", \.url, .text(.webAddress)))
}

extension JSONCodec where Value == [Author.Mention] {
    static var authors: JSONCodec {
        .array(of: Author.Mention.format, atMost: ArticleLimits.authors)
    }
}

extension JSONCodec where Value == [String] {
    static var tagNames: JSONCodec { .array(of: .tagName, atMost: ArticleLimits.tags) }
}
