package import ArticleAPI

/// The parts of an article that are searched.
package struct SearchDocument: Sendable, Hashable {
    package struct Author: Sendable, Hashable {
        package var id: ArticleAPI.Author.ID
        package var name: String

        package init(id: ArticleAPI.Author.ID, name: String) {
            self.id = id
            self.name = name
        }
    }

    package var id: Article.ID
    package var revision: Int
    package var publishedAt: Timestamp
    /// In Unicode Normalization Form C, as all texts here.
    package var title: String
    package var summary: String
    /// Markdown.
    package var body: String
    package var tags: [ArticleTag]
    package var authors: [Author]
    package var language: String
    /// The name of the source.
    package var source: String?

    package init(
        id: Article.ID, revision: Int, publishedAt: Timestamp, title: String, summary: String,
        body: String, tags: [ArticleTag] = [], authors: [Author] = [], language: String = "en",
        source: String? = nil
    ) {
        self.id = id
        self.revision = revision
        self.publishedAt = publishedAt
        self.title = title
        self.summary = summary
        self.body = body
        self.tags = tags
        self.authors = authors
        self.language = language
        self.source = source
    }

    /// `nil` if the article has no body or no time of publication.
    package init?(_ article: Article) {
        guard let publishedAt = article.publishedAt, let body = article.body else { return nil }
        self.init(
            id: article.id, revision: article.revision, publishedAt: publishedAt,
            title: article.title, summary: article.summary, body: body, tags: article.tags,
            authors: article.authors.map { Author(id: $0.id, name: $0.name) },
            language: article.language, source: article.source?.name)
    }
}
