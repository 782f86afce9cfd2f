public import ArticleAPI
public import ArticleClient

extension BackendService {
    /// The content with which a backend in memory begins.
    ///
    /// ```swift
    /// let articles = (1...50).map { Article.sample(id: .sample($0), title: "Article \($0)") }
    /// let many = BackendService.inMemory(.init(articles: articles))
    /// ```
    public struct InMemoryContent: Sendable {
        /// Each with an id of its own. The authors in by-lines need not be in `authors`.
        public var articles: [Article]
        public var authors: [Author]
        public var comments: [ArticleComment]

        public init(
            articles: [Article] = [], authors: [Author] = [], comments: [ArticleComment] = []
        ) {
            self.articles = articles
            self.authors = authors
            self.comments = comments
        }

        /// `Article.samples`, with their authors and comments.
        public static let samples = InMemoryContent(
            articles: Article.samples, authors: Author.samples, comments: ArticleComment.samples)

        public static let empty = InMemoryContent()
    }
}
