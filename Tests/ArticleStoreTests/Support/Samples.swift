import ArticleAPI
import ArticleStore

extension ArticleContent {
    /// Content to vary: published at `time`, with a slug like its title's.
    static func sample(
        _ title: String = "Bread", slug: SlugChoice? = nil, body: String = "Flour and water.",
        language: String = "en", authors: [Author.Mention] = [], tags: [String] = [],
        status: Article.Status = .published, at time: Timestamp? = .start,
        source: String? = nil
    ) -> ArticleContent {
        ArticleContent(
            slug: slug ?? .like(title.lowercased()), title: title, summary: "About \(title)",
            body: body, language: language, authors: authors,
            tags: tags.map { Tag(key: $0.lowercased(), name: $0) },
            heroImage: Article.HeroImage(
                url: "https://example.org/a.png", alternativeText: "A loaf"),
            status: status, publishedAt: time,
            source: source.map { Article.Source(name: $0, url: nil) }, wordCount: 3,
            readingMinutes: 1)
    }

    /// The content of an article, with changes; the slug stays.
    static func of(
        _ article: Article, _ change: (inout ArticleContent) -> Void = { _ in }
    ) -> ArticleContent {
        var content = ArticleContent(
            slug: .keep, title: article.title, summary: article.summary, body: article.body ?? "",
            language: article.language, authors: article.authors.map { .id($0.id, name: nil) },
            tags: article.tags, heroImage: article.heroImage, status: article.status,
            publishedAt: article.publishedAt, source: article.source,
            wordCount: article.wordCount, readingMinutes: article.readingMinutes)
        change(&content)
        return content
    }
}

extension Timestamp {
    /// 2026-01-01T00:00:00Z, when most tests take place.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    static func + (time: Timestamp, milliseconds: Int64) -> Timestamp {
        time.advanced(byMilliseconds: milliseconds)
    }
}

extension Edit {
    static let first = Edit(at: .start, editor: "editor")

    static func later(_ milliseconds: Int64) -> Edit {
        Edit(at: .start + milliseconds, editor: "editor")
    }
}

extension Identifier {
    /// A new id of the sample time.
    static func make() -> Identifier { Identifier(at: .start) }
}

extension Article {
    /// Without its version, which no two databases have in common.
    var unversioned: Article {
        var article = self
        article.version = nil
        return article
    }
}

extension Precondition {
    /// That this article is as it was then.
    static func version(_ article: Article) -> Precondition { .versions([article.version ?? ""]) }

    /// That this author is as it was then.
    static func version(_ author: Author) -> Precondition { .versions([author.version ?? ""]) }
}
