import ArticleAPI
import ArticleStore

/// Articles that a page will probably need, read together.
///
/// A statement of SQLite costs little. One of PostgreSQL is a round trip, which costs as much as
/// the rows of a whole page: there, a page reads its articles, their bodies and names with one
/// statement each, and so do single articles that are requested at the same time
/// (``BatchedReads``). It belongs to one read, and is used by its thread.
final class ArticlePrefetch {
    private var articles: [Int64: StoredArticle] = [:]
    private var bodies: [Int64: String] = [:]
    /// The articles looked up by ID; `nil` for those that do not exist.
    private var byID: [Article.ID: StoredArticle?] = [:]

    func takeArticle(_ number: Int64) -> StoredArticle? { articles.removeValue(forKey: number) }

    func takeBody(_ number: Int64) -> String? { bodies.removeValue(forKey: number) }

    func hasArticle(_ number: Int64) -> Bool { articles[number] != nil }

    /// The article with this ID, `nil` if there is none; outer `nil` if it was not looked up.
    fileprivate func article(_ id: Article.ID) -> StoredArticle?? { byID[id] }

    fileprivate func keep(_ article: StoredArticle?, for id: Article.ID) {
        byID.updateValue(article, forKey: id)
    }

    fileprivate func keep(_ article: StoredArticle) { articles[article.number] = article }

    fileprivate func keep(_ body: String, number: Int64) { bodies[number] = body }

    /// The article of the row, whose body is kept; `nil` if there is no row.
    fileprivate func keepBody(_ row: borrowing Statement) throws(StoreError) -> StoredArticle? {
        guard try row.step() else { return nil }
        let article = try StoredArticle(row)
        keep(row.text(StoredArticle.columns), number: article.revision.content.body)
        return article
    }
}

extension SQL {
    // Only PostgreSQL has arrays. The columns of the first one are those of `StoredArticle`.
    fileprivate static let articlesByNumber: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE articles.number = ANY(?1)
        """
    // The text is after the columns of `StoredArticle`.
    fileprivate static let articleAndBodyByID: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, bodies.text
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        JOIN bodies ON bodies.number = revisions.body
        WHERE articles.id = ?1
        """
    fileprivate static let articlesAndBodies: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, bodies.text
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        JOIN bodies ON bodies.number = revisions.body
        WHERE articles.id = ANY(?1)
        """
    fileprivate static let articleAndBodyBySlug: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, bodies.text
        FROM slugs JOIN articles ON articles.number = slugs.article
        JOIN revisions ON row = (articles.number << 20 | articles.revision)
        JOIN bodies ON bodies.number = revisions.body
        WHERE slugs.slug = ?1
        """
    fileprivate static let bodies: StaticString =
        "SELECT number, text FROM bodies WHERE number = ANY(?1)"
}

extension Snapshot {
    var articlesAhead: ArticlePrefetch? { ahead?.kept { ArticlePrefetch() } }

    /// The article with its last revision, like `stored`, whose body is read ahead.
    func storedWithBody(_ key: Article.Key) throws(StoreError) -> StoredArticle? {
        guard let ahead = articlesAhead else { return try stored(key) }
        switch key {
        case .id(let id):
            if let found = ahead.article(id) { return found }
            let row = try connection.statement(SQL.articleAndBodyByID)
            try row.bind(1, id)
            return try ahead.keepBody(row)
        case .slug(let slug):
            let row = try connection.statement(SQL.articleAndBodyBySlug)
            try row.bind(1, slug)
            return try ahead.keepBody(row)
        }
    }

    /// Reads articles ahead that will be looked up by their IDs, with their bodies and names.
    func readAhead(_ ids: [Article.ID]) throws(StoreError) {
        guard let ahead = articlesAhead else { return }
        let row = try connection.statement(SQL.articlesAndBodies)
        try row.bind(1, ids: ids)
        for id in ids { ahead.keep(nil, for: id) }
        var articles: [StoredArticle] = []
        while let article = try ahead.keepBody(row) {
            ahead.keep(article, for: article.id)
            articles.append(article)
        }
        try prefetchNames(of: articles)
    }

    /// Reads the article ahead, and those that follow it on the page.
    ///
    /// - Parameters:
    ///   - withBodies: true to read also their bodies.
    ///   - following: the numbers of the next articles, as far as they are known.
    func readAhead(
        _ number: Int64, withBodies: Bool, following: () -> [Int64]
    ) throws(StoreError) {
        guard let ahead = articlesAhead, !ahead.hasArticle(number) else { return }
        let articles = try storedArticles([number] + following())
        for article in articles { ahead.keep(article) }
        try readAhead(of: articles, withBodies: withBodies)
    }

    /// Reads the names and bodies of articles ahead, which are in the order of a page.
    func readAhead(of articles: [StoredArticle], withBodies: Bool) throws(StoreError) {
        guard let ahead = articlesAhead, !articles.isEmpty else { return }
        try prefetchNames(of: articles)
        guard withBodies else { return }
        var bytes = 0
        // At least the first one, and as many as a page may contain.
        let bodies = articles.prefix { article in
            defer { bytes += article.revision.content.bodyBytes }
            return bytes <= limits.bytesPerPage
        }
        for body in try self.bodies(bodies.map(\.revision.content.body)) {
            ahead.keep(body.text, number: body.number)
        }
    }

    private func prefetchNames(of articles: [StoredArticle]) throws(StoreError) {
        var (tags, authors): (Set<Int64>, Set<Int64>) = ([], [])
        // By their indices, as an iterator would copy articles.
        for index in articles.indices {
            tags.formUnion(articles[index].revision.content.tags)
            authors.formUnion(articles[index].revision.content.authors)
        }
        try names.readAhead(tags: tags, authors: authors, on: connection)
    }

    /// The articles with these numbers, in any order.
    private func storedArticles(_ numbers: [Int64]) throws(StoreError) -> [StoredArticle] {
        let row = try connection.statement(SQL.articlesByNumber)
        try row.bind(1, numbers: numbers)
        var articles: [StoredArticle] = []
        while try row.step() { articles.append(try StoredArticle(row)) }
        return articles
    }

    /// The bodies with these numbers, in any order.
    private func bodies(_ numbers: [Int64]) throws(StoreError) -> [(number: Int64, text: String)] {
        let row = try connection.statement(SQL.bodies)
        try row.bind(1, numbers: numbers)
        var bodies: [(number: Int64, text: String)] = []
        while try row.step() { bodies.append((row.integer(0), row.text(1))) }
        return bodies
    }
}
