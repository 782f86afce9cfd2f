import ArticleAPI
import ArticleStore

extension SQL {
    // The publication follows the columns of `StoredArticle`. PostgreSQL must not choose a plan
    // that begins with all articles: OFFSET 0 makes it look up each one. Nor should it plan each
    // page anew: it estimates that an unknown limit keeps a tenth of the rows, here of the 101 of
    // the longest page, so that the plan that it keeps looks cheaper than a new one.
    fileprivate static let articlesByPublication: StaticString = """
        SELECT article.*, page.publication
        FROM (SELECT publication, id, article FROM listings
            WHERE facet = ?1 AND state = ?2
                AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
            ORDER BY publication, id LIMIT 101) AS page
        CROSS JOIN LATERAL (SELECT articles.id, articles.state, articles.revision,
                articles.created_at, articles.owner, revisions.*
            FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
            WHERE articles.number = page.article OFFSET 0) AS article
        ORDER BY page.publication, page.id LIMIT ?7
        """
    fileprivate static let articlesByPublicationDescending: StaticString = """
        SELECT article.*, page.publication
        FROM (SELECT publication, id, article FROM listings
            WHERE facet = ?1 AND state = ?2
                AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
            ORDER BY publication DESC, id DESC LIMIT 101) AS page
        CROSS JOIN LATERAL (SELECT articles.id, articles.state, articles.revision,
                articles.created_at, articles.owner, revisions.*
            FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
            WHERE articles.number = page.article OFFSET 0) AS article
        ORDER BY page.publication DESC, page.id DESC LIMIT ?7
        """
    // SQLite looks up the article of each row as it steps to it, so it needs no limit.
    fileprivate static let rowsByPublication: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, listings.publication
        FROM listings CROSS JOIN articles ON articles.number = listings.article
        CROSS JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE listings.facet = ?1 AND listings.state = ?2
            AND (listings.publication, listings.id) >= (?3, ?4)
            AND (listings.publication, listings.id) < (?5, ?6)
        ORDER BY listings.publication, listings.id
        """
    fileprivate static let rowsByPublicationDescending: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, listings.publication
        FROM listings CROSS JOIN articles ON articles.number = listings.article
        CROSS JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE listings.facet = ?1 AND listings.state = ?2
            AND (listings.publication, listings.id) >= (?3, ?4)
            AND (listings.publication, listings.id) < (?5, ?6)
        ORDER BY listings.publication DESC, listings.id DESC
        """
}

/// Iterates over the articles of one state in one order, one index row at a time.
final class ListingCursor {
    /// A position between index rows: the sort key and the bytes of an id (possibly a prefix, or
    /// longer).
    struct Bound {
        var key: Int64
        var id: [UInt8]

        /// Before every row of this key.
        static func before(_ key: Int64) -> Bound { Bound(key: key, id: []) }

        /// After every row of this key.
        static func after(_ key: Int64) -> Bound {
            Bound(key: key, id: [UInt8](repeating: 0xFF, count: 17))
        }

        static func at(_ position: ArticlePosition) -> Bound {
            Bound(key: position.key, id: position.id.bytes)
        }

        /// Directly after the row at this position: there is no 16-byte id in between.
        static func past(_ position: ArticlePosition) -> Bound {
            Bound(key: position.key, id: position.id.bytes + [0])
        }

        static func < (left: Bound, right: Bound) -> Bool {
            left.key == right.key
                ? left.id.lexicographicallyPrecedes(right.id) : left.key < right.key
        }
    }

    /// The way in which the articles of the rows are read.
    enum Join {
        /// Only the rows of the index are read.
        case none
        /// The first articles are read together, before the first row (PostgreSQL).
        case page
        /// Each row is read with its article (SQLite).
        case rows
    }

    struct Entry {
        var position: ArticlePosition
        var article: Int64
        var publication: Int64
    }

    let plan: ListingPlan
    let state: StoredState
    /// The current row; `nil` at the end.
    private(set) var entry: Entry?
    private let statement: Statement
    /// True if the rows of the statement are those of articles.
    private let hasArticles: Bool
    /// The articles of the first rows, in order, if they were read with them.
    let articles: [StoredArticle]
    /// The publication times by which they are ordered.
    private let publications: [Int64]
    /// The number of rows that precede the current one, up to the number of these articles.
    private var place = -1
    /// True if the statement, which begins after them, may have rows.
    private var hasMore = true

    /// Starts at the first row within `from..<to`.
    ///
    /// - Parameters:
    ///   - wanted: the number of articles that are probably needed.
    ///   - join: how their articles are read.
    init(
        _ connection: Connection, sort: ArticleSort, plan: ListingPlan, state: StoredState,
        from: Bound, to: Bound, wanted: Int, join: Join
    ) throws(StoreError) {
        self.plan = plan
        self.state = state
        hasArticles = join == .rows
        var (from, to) = (from, to)
        var (articles, publications): ([StoredArticle], [Int64]) = ([], [])
        switch plan.driver {
        case .facet(let facet):
            if join == .page {
                let page = try connection.statement(Self.articleSQL(sort))
                try page.bind(1, facet)
                try Self.bind(page, state, from, to)
                try page.bind(7, wanted)
                articles.reserveCapacity(wanted)
                publications.reserveCapacity(wanted)
                while try page.step() {
                    articles.append(try StoredArticle(page))
                    publications.append(page.integer(StoredArticle.columns))
                }
                hasMore = articles.count == wanted
                if let article = articles.last, let publication = publications.last {
                    let last = ArticlePosition(key: publication, id: article.id)
                    if sort.isDescending { to = .at(last) } else { from = .past(last) }
                }
            }
            statement = try connection.statement(
                join == .rows ? Self.rowSQL(sort) : Self.sql(sort))
            try statement.bind(1, facet)
        case .owner(let id):
            statement = try connection.statement(Self.ownSQL(sort))
            try statement.bind(1, id)
        }
        self.articles = articles
        self.publications = publications
        try Self.bind(statement, state, from, to)
        // With filters that are looked up for each row, few of the rows may match.
        if plan.probes.isEmpty { statement.expect(wanted) }
        try advance()
    }

    private static func bind(
        _ statement: borrowing Statement, _ state: StoredState, _ from: Bound, _ to: Bound
    ) throws(StoreError) {
        try statement.bind(2, state.rawValue)
        try statement.bind(3, from.key)
        try statement.bind(4, from.id)
        try statement.bind(5, to.key)
        try statement.bind(6, to.id)
    }

    func advance() throws(StoreError) {
        place = min(place + 1, articles.count)
        if place < articles.count {
            let publication = publications[place]
            entry = Entry(
                position: ArticlePosition(key: publication, id: articles[place].id),
                article: articles[place].number, publication: publication)
            return
        }
        guard hasMore, try statement.step() else {
            entry = nil
            return
        }
        if hasArticles {
            let publication = statement.integer(StoredArticle.columns)
            entry = Entry(
                position: ArticlePosition(key: publication, id: try statement.identifier(0)),
                article: statement.integer(StoredArticle.numberColumn), publication: publication)
        } else {
            entry = Entry(
                position: ArticlePosition(
                    key: statement.integer(0), id: try statement.identifier(1)),
                article: statement.integer(2), publication: statement.integer(3))
        }
    }

    /// The article of the current row, if it was read with it.
    func article() throws(StoreError) -> StoredArticle? {
        if place < articles.count { return articles[place] }
        return hasArticles ? try StoredArticle(statement) : nil
    }

    /// The numbers of the next articles, as far as they have been read.
    func upcoming(_ limit: Int) -> [Int64] {
        statement.upcoming(limit).map { $0.integer(2) }
    }

    private static func sql(_ sort: ArticleSort) -> StaticString {
        switch sort {
        case .newestFirst: SQL.byPublicationDescending
        case .oldestFirst: SQL.byPublication
        case .createdLast: SQL.byCreationDescending
        case .createdFirst: SQL.byCreation
        case .updatedLast: SQL.byUpdateDescending
        case .updatedFirst: SQL.byUpdate
        }
    }

    private static func articleSQL(_ sort: ArticleSort) -> StaticString {
        sort.isDescending ? SQL.articlesByPublicationDescending : SQL.articlesByPublication
    }

    private static func rowSQL(_ sort: ArticleSort) -> StaticString {
        sort.isDescending ? SQL.rowsByPublicationDescending : SQL.rowsByPublication
    }

    private static func ownSQL(_ sort: ArticleSort) -> StaticString {
        switch sort {
        case .newestFirst: SQL.ownByPublicationDescending
        case .oldestFirst: SQL.ownByPublication
        case .createdLast: SQL.ownByCreationDescending
        case .createdFirst: SQL.ownByCreation
        case .updatedLast: SQL.ownByUpdateDescending
        case .updatedFirst: SQL.ownByUpdate
        }
    }
}
