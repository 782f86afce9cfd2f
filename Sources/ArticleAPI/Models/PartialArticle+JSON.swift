extension PartialArticle: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .optional("slug", \.slug, .text(.slug)),
        .optional("title", \.title, .text(.line(ArticleLimits.title))),
        .optional("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .optional("body", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(maximumBytes: ArticleLimits.bodyHTMLBytes))),
        .optional("language", \.language, .text(.language)),
        .optional("authors", \.authors, .array(of: PartialAuthor.format, atMost: 20)),
        .optional("tags", \.tags, .array(of: PartialTag.format, atMost: ArticleLimits.tags)),
        .optional("heroImage", \.heroImage, PartialHeroImage.format),
        .optional("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)),
        .optional("source", \.source, PartialSource.format),
        .optional("wordCount", \.wordCount, .integer(0...Int.max)),
        .optional("readingMinutes", \.readingMinutes, .integer(0...Int.max)))
}

extension PartialArticle.PartialAuthor: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("id", \.id, .identifier()),
        .optional("name", \.name, .text(.line(ArticleLimits.authorName))))
}

extension PartialArticle.PartialTag: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("key", \.key, .text(.line(ArticleLimits.tag))),
        .optional("name", \.name, .text(.line(ArticleLimits.tag))))
}

extension PartialArticle.PartialHeroImage: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("url", \.url, .text(.webAddress)),
        .optional(
            "alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension PartialArticle.PartialSource: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .optional("url", \.url, .text(.webAddress)))
}
