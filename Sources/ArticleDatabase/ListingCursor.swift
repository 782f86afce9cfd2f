import ArticleAPI
import ArticleStore
import Platform

extension SQL {
    // The publication is after the columns of `StoredArticle`.
    fileprivate static let articlesByPublication: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, listings.publication
        FROM listings JOIN articles ON articles.number = listings.article
        JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE listings.facet = ?1 AND listings.state = ?2
            AND (listings.publication, listings.id) >= (?3, ?4)
            AND (listings.publication, listings.id) < (?5, ?6)
        ORDER BY listings.publication, listings.id
        """
    fileprivate static let articlesByPublicationDescending: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, articles.owner,
            revisions.*, listings.publication
        FROM listings JOIN articles ON articles.number = listings.article
        JOIN revisions ON row = (articles.number << 20 | articles.revision)
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
    /// Rows that were read ahead.
    private var rows = FIFO<Entry>()
    /// Whether the articles of the rows are read with them.
    private let isJoined: Bool
    /// The articles of the rows that were read ahead.
    private(set) var articles: [StoredArticle] = []

    /// Starts at the first row within `from..<to`.
    ///
    /// - Parameters:
    ///   - wanted: how many articles are probably needed.
    ///   - isJoined: whether to read as many articles at once.
    init(
        _ connection: Connection, sort: ArticleSort, plan: ListingPlan, state: StoredState,
        from: Bound, to: Bound, wanted: Int, isJoined: Bool
    ) throws(StoreError) {
        self.plan = plan
        self.state = state
        self.isJoined = isJoined
        switch plan.driver {
        case .facet(let facet):
            statement = try connection.statement(
                isJoined ? Self.articleSQL(sort) : Self.sql(sort))
            try statement.bind(1, facet)
        case .owner(let id):
            statement = try connection.statement(Self.ownSQL(sort))
            try statement.bind(1, id)
        }
        try statement.bind(2, state.rawValue)
        try statement.bind(3, from.key)
        try statement.bind(4, from.id)
        try statement.bind(5, to.key)
        try statement.bind(6, to.id)
        // With filters that are looked up for each row, few of the rows may match.
        if plan.probes.isEmpty { statement.expect(wanted) }
        while isJoined, articles.count < wanted, let next = try nextArticle() {
            rows.append(next.entry)
            articles.append(next.article)
        }
        try advance()
    }

    func advance() throws(StoreError) {
        if let row = rows.popFirst() { entry = row } else { entry = try nextRow() }
    }

    private func nextRow() throws(StoreError) -> Entry? {
        if isJoined { return try nextArticle()?.entry }
        guard try statement.step() else { return nil }
        return Entry(
            position: ArticlePosition(
                key: statement.integer(0), id: try statement.identifier(1)),
            article: statement.integer(2), publication: statement.integer(3))
    }

    private func nextArticle() throws(StoreError) -> (entry: Entry, article: StoredArticle)? {
        guard try statement.step() else { return nil }
        let article = try StoredArticle(statement)
        let publication = statement.integer(StoredArticle.columns)
        let entry = Entry(
            position: ArticlePosition(key: publication, id: article.id), article: article.number,
            publication: publication)
        return (entry, article)
    }

    /// The numbers of the next articles, as far as they have been read.
    func upcoming(_ limit: Int) -> [Int64] {
        isJoined ? [] : statement.upcoming(limit).map { $0.integer(2) }
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
