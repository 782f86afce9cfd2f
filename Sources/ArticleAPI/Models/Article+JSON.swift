extension Article: JSONModel {
    /// An article as it is served. What has no value is left out.
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .required("slug", \.slug, .text(.servedSlug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .optional("body", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(maximumBytes: ArticleLimits.bodyHTMLBytes))),
        .required("language", \.language, .text(.language)),
        .required("authors", \.authors, .array(of: Author.Reference.format, atMost: 20)),
        .required("tags", \.tags, .array(of: Tag.format, atMost: ArticleLimits.tags)),
        .optional("heroImage", \.heroImage, HeroImage.format),
        .required("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)),
        .optional("source", \.source, Source.format),
        .required("wordCount", \.wordCount, .integer(0...Int.max)),
        .required("readingMinutes", \.readingMinutes, .integer(0...Int.max)))
}

extension Article.HeroImage: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("url", \.url, .text(.webAddress)),
        .optional(
            "alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension Article.Source: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .optional("url", \.url, .text(.webAddress)))
}

extension Author.Reference: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))))
}

extension Tag: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("key", \.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.name, .text(.line(ArticleLimits.tag))))
}
