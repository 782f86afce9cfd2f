import ArticleAPI
import ArticleStore

extension ArticleContent {
    /// Sample content: published at `time`, with a slug like its title's.
    static func sample(
        _ title: String = "Bread", slug: SlugChoice? = nil, body: String = "Flour and water.",
        language: String = "en", authors: [Author.Mention] = [], tags: [String] = [],
        status: Article.Status = .published, at time: Timestamp? = .start,
        source: String? = nil
    ) -> ArticleContent {
        ArticleContent(
            Article.Draft(
                title: title, summary: "About \(title)", body: body, language: language,
                authors: authors, tags: tags,
                heroImage: Article.HeroImage(
                    url: "https://example.org/a.png", alternativeText: "A loaf"),
                status: status, publishedAt: time,
                source: source.map { Article.Source(name: $0, url: nil) }),
            slug: slug ?? .like(title.lowercased()),
            measure: TextMeasure(words: 3, readingMinutes: 1))
    }

    /// The content of an article with changes; keeps the slug.
    static func of(
        _ article: Article, _ change: (inout ArticleContent) -> Void = { _ in }
    ) -> ArticleContent {
        var content = ArticleContent(
            article.draft, slug: .keep,
            measure: TextMeasure(
                words: article.wordCount, readingMinutes: article.readingMinutes))
        change(&content)
        return content
    }
}

extension Timestamp {
    /// 2026-01-01T00:00:00Z, the time of most tests.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    static func + (time: Timestamp, milliseconds: Int64) -> Timestamp {
        time.advanced(byMilliseconds: milliseconds)
    }
}

extension Edit {
    static let first = Edit(at: .start, by: .key(id: "editor"))

    static func later(_ milliseconds: Int64) -> Edit {
        Edit(at: .start + milliseconds, by: .key(id: "editor"))
    }
}

extension Identifier {
    /// A new id at the sample time.
    static func make() -> Identifier { Identifier(at: .start) }
}

extension Article {
    /// Without its version, which is different in each database.
    var unversioned: Article {
        var article = self
        article.version = nil
        return article
    }
}

extension Precondition {
    /// Whether this article equals the earlier one.
    static func version(_ article: Article) -> Precondition { .versions([article.version ?? ""]) }

    /// Whether this author equals the earlier one.
    static func version(_ author: Author) -> Precondition { .versions([author.version ?? ""]) }
}
