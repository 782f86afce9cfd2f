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

    /// The article with its last revision, like `Snapshot.stored`, whose body is read ahead.
    func withBody(_ key: Article.Key, of state: Snapshot) throws(StoreError) -> StoredArticle? {
        switch key {
        case .id(let id):
            if let found = byID[id] { return found }
            let row = try state.connection.statement(SQL.articlesAndBodies)
            try row.bind(1, ids: [id])
            return try keepBody(row)
        case .slug(let slug):
            let row = try state.connection.statement(SQL.articleAndBodyBySlug)
            try row.bind(1, slug)
            return try keepBody(row)
        }
    }

    /// The article of the row, whose body is kept; `nil` if there is no row.
    private func keepBody(_ row: borrowing Statement) throws(StoreError) -> StoredArticle? {
        guard try row.step() else { return nil }
        let article = try StoredArticle(row)
        bodies[article.revision.content.body] = row.text(StoredArticle.columns)
        return article
    }

    /// Reads articles that will be looked up by their IDs, with their bodies and names.
    func read(_ ids: [Article.ID], of state: Snapshot) throws(StoreError) {
        let row = try state.connection.statement(SQL.articlesAndBodies)
        try row.bind(1, ids: ids)
        for id in ids { byID.updateValue(nil, forKey: id) }
        var articles: [StoredArticle] = []
        while let article = try keepBody(row) {
            byID.updateValue(article, forKey: article.id)
            articles.append(article)
        }
        try readNames(of: articles, state)
    }

    /// Reads the article, and those that follow it on the page.
    ///
    /// - Parameters:
    ///   - withBodies: true to read also their bodies.
    ///   - following: the numbers of the next articles, as far as they are known.
    func read(
        _ number: Int64, of state: Snapshot, withBodies: Bool, following: () -> [Int64]
    ) throws(StoreError) {
        guard articles[number] == nil else { return }
        let row = try state.connection.statement(SQL.articlesByNumber)
        try row.bind(1, numbers: [number] + following())
        var read: [StoredArticle] = []
        while try row.step() { read.append(try StoredArticle(row)) }
        for article in read { articles[article.number] = article }
        try self.read(of: read, state, withBodies: withBodies)
    }

    /// Reads the names and bodies of articles, which are in the order of a page.
    func read(
        of articles: [StoredArticle], _ state: Snapshot, withBodies: Bool
    ) throws(StoreError) {
        guard !articles.isEmpty else { return }
        try readNames(of: articles, state)
        guard withBodies else { return }
        var bytes = 0
        // At least the first one, and as many as a page may contain.
        let wanted = articles.prefix { article in
            defer { bytes += article.revision.content.bodyBytes }
            return bytes <= state.limits.bytesPerPage
        }
        let row = try state.connection.statement(SQL.bodies)
        try row.bind(1, numbers: wanted.map(\.revision.content.body))
        while try row.step() { bodies[row.integer(0)] = row.text(1) }
    }

    private func readNames(
        of articles: [StoredArticle], _ state: Snapshot
    ) throws(StoreError) {
        var (tags, authors): (Set<Int64>, Set<Int64>) = ([], [])
        // By their indices, as an iterator would copy articles.
        for index in articles.indices {
            tags.formUnion(articles[index].revision.content.tags)
            authors.formUnion(articles[index].revision.content.authors)
        }
        try state.names.readAhead(tags: tags, authors: authors, on: state.connection)
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
