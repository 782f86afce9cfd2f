public import ArticleAPI

/// A copy of a backend's articles that follows it: the state of a client that syncs.
///
/// It is empty at first and has no token. Pages fill it, and the last page of the snapshot makes it
/// complete; later pages keep it current. `restart` empties it. Keep it as a whole, so that the
/// token always belongs to the content: it is `Codable`.
///
/// ```swift
/// var copy = ArticleCopy()
/// for try await step in backend.changes(since: copy.token) { copy.apply(step) }
/// let kept = copy.json()
/// let restored = try ArticleCopy(mapping: kept)
/// ```
///
/// It holds every article that the filter matches, with bodies only if the filter's `fields` name
/// them; limit it by the filter.
public struct ArticleCopy: Sendable, Hashable {
    /// With the newest known names of their authors.
    public private(set) var articles: [Article.ID: Article]
    /// Empty if only the changes of articles are requested.
    public private(set) var authors: [Author.ID: Author]
    /// The token of the next page; `nil` before the first.
    public private(set) var token: String?
    /// True if the snapshot has arrived as a whole since the copy was last empty.
    public private(set) var isComplete: Bool
    private var names: AuthorNames

    /// An empty copy.
    public init() {
        self.init(articles: [], authors: [], token: nil, isComplete: false)
    }

    private init(articles: [Article], authors: [Author], token: String?, isComplete: Bool) {
        self.articles = Dictionary(articles.map { ($0.id, $0) }) { _, last in last }
        self.authors = Dictionary(authors.map { ($0.id, $0) }) { _, last in last }
        self.token = token
        self.isComplete = isComplete
        names = AuthorNames()
        for author in authors { _ = names.note(author) }
        for article in articles { for author in article.authors { _ = names.note(author) } }
    }

    /// Applies a step of ``BackendChanges`` or ``LiveChanges``.
    public mutating func apply(_ step: SyncStep) {
        switch step {
        case .page(let page): apply(page)
        case .restart: restart()
        }
    }

    /// Applies the page that begins at the copy's token.
    public mutating func apply(_ page: ChangePage<Article>) {
        var hasUpdates = false
        for change in page.changes {
            switch change {
            case .putArticle(let article, _):
                for author in article.authors where names.note(author) != .nothing {
                    hasUpdates = true
                }
                articles[article.id] = names.naming(article)
            case .deleteArticle(let id, _):
                articles[id] = nil
            case .putAuthor(let author):
                guard author.revision >= authors[author.id]?.revision ?? 0 else { continue }
                authors[author.id] = author
                if names.note(author) != .nothing { hasUpdates = true }
            case .deleteAuthor(let id, _):
                authors[id] = nil
                names.forget(id)
            case .putComment, .deleteComment, .putBookmark, .deleteBookmark, .unknown: continue
            }
        }
        if hasUpdates { articles = articles.mapValues(names.naming) }
        token = page.next
        if !page.more { isComplete = true }
    }

    /// Discards everything, as a rejected token requires.
    public mutating func restart() { self = ArticleCopy() }
}

extension ArticleCopy: JSONModel {
    /// `{"token": "…", "isComplete": true, "articles": […], "authors": […]}`, sorted by id.
    public static let shape = ObjectCodec(
        Self.init(token:isComplete:articles:authors:),
        .optional("token", \.token, .text(.token(1...500))),
        .required("isComplete", \.isComplete, .boolean),
        .required(
            "articles", \.sortedArticles,
            .array(of: Article.format, limit: Int.max)),
        .required(
            "authors", \.sortedAuthors,
            .array(of: Author.format, limit: Int.max)))

    private var sortedArticles: [Article] { articles.values.sorted { $0.id < $1.id } }

    private var sortedAuthors: [Author] { authors.values.sorted { $0.id < $1.id } }

    /// Reads the output of `json()` with any number of articles: unlike in a response, the number
    /// of values is not limited.
    public init(mapping bytes: [UInt8]) throws(ResponseMapperError) {
        self = try Self.format.map(bytes, limitValues: .max)
    }

    private init(token: String?, isComplete: Bool, articles: [Article], authors: [Author]) {
        self.init(articles: articles, authors: authors, token: token, isComplete: isComplete)
    }
}
