import ArticleAPI
import BroadsheetSQLite

/// The columns and tables by which lists of articles are sorted and filtered.
enum ArticleIndex {
    /// The attributes that have to be known before an article is in any list: the required ones,
    /// and those by which lists filter and sort.
    static let attributes = AttributeSet<Article>(
        named: Article.shape.properties.filter(\.isRequired).map(\.name) + [
            "publishedAt", "source",
        ])

    /// Puts the article, which is in none, into lists.
    static func store(
        _ article: Article, _ number: Int64, in connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement(
            "INSERT INTO articles VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
        try row.bind(1, number)
        try row.bind(2, article.id)
        try row.bind(3, article.slug)
        try row.bind(4, article.publishedAt ?? article.createdAt)
        try row.bind(5, article.publishedAt)
        try row.bind(6, article.createdAt)
        try row.bind(7, article.updatedAt)
        try row.bind(8, article.language)
        try row.bind(9, article.status.name)
        try row.bind(10, article.source?.name)
        try row.bind(11, "\n" + article.tags.map { $0.key + "\n" }.joined())
        try row.run()
        for author in article.authors {
            let row = try connection.statement("INSERT OR IGNORE INTO bylines VALUES (?1, ?2)")
            try row.bind(1, number)
            try row.bind(2, author.id)
            try row.run()
        }
    }

    /// Takes the article out of all lists.
    static func remove(
        _ number: Int64, from connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement("DELETE FROM articles WHERE number = ?1")
        try row.bind(1, number)
        try row.run()
    }

    /// Returns true if lists may have the article.
    static func contains(
        _ id: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        let row = try connection.statement(
            """
            SELECT 1 FROM articles WHERE number = (
                SELECT number FROM models WHERE kind = 1 AND id = ?1)
            """)
        try row.bind(1, id)
        return try row.step()
    }

    /// The ids of the first articles of a list.
    static func ids(
        matching query: ArticleQuery, order: ArticleSort, limit: Int,
        in connection: DatabaseConnection
    ) throws(OfflineError) -> [Article.ID] {
        let direction = order.isDescending ? "DESC" : "ASC"
        let conditions = Self.conditions(query)
        let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        // Ties are broken by id in the same direction, so that the index gives the order.
        return try ids(
            """
            SELECT id FROM articles a \(filter)
            ORDER BY \(column(order)) \(direction), id \(direction) LIMIT ?1
            """, Int64(limit), query, in: connection)
    }

    /// The ids of articles that nothing keeps in the store.
    static func unlistedIDs(
        matching query: ArticleQuery, seenBefore time: Timestamp,
        in connection: DatabaseConnection
    ) throws(OfflineError) -> [Article.ID] {
        let conditions = ["m.holds = 0", "m.seen < ?1"] + Self.conditions(query)
        return try ids(
            """
            SELECT a.id FROM models m JOIN articles a ON a.number = m.number
            WHERE \(conditions.joined(separator: " AND "))
            """, time.milliseconds, query, in: connection)
    }

    private static func ids(
        _ sql: String, _ first: Int64, _ query: ArticleQuery, in connection: DatabaseConnection
    ) throws(OfflineError) -> [Article.ID] {
        let row = try connection.statement(sql)
        try row.bind(1, first)
        var next: Int32 = 2
        if let author = query.author { try row.bind(advance(&next), author) }
        if let language = query.language { try row.bind(advance(&next), language) }
        if let status = query.status { try row.bind(advance(&next), status.name) }
        if let source = query.source { try row.bind(advance(&next), source) }
        if let time = query.publishedAfter { try row.bind(advance(&next), time) }
        if let time = query.publishedBefore { try row.bind(advance(&next), time) }
        for tag in query.tags { try row.bind(advance(&next), "\n\(tag)\n") }
        var ids: [Article.ID] = []
        while try row.step() { ids.append(try row.identifier(0)) }
        return ids
    }

    /// Conditions with one parameter each, in the order in which they are bound.
    private static func conditions(_ query: ArticleQuery) -> [String] {
        var conditions: [String] = []
        if query.author != nil {
            conditions.append(
                "EXISTS (SELECT 1 FROM bylines WHERE author = ? AND article = a.number)")
        }
        if query.language != nil { conditions.append("language = ?") }
        if query.status != nil { conditions.append("status = ?") }
        if query.source != nil { conditions.append("source = ?") }
        if query.publishedAfter != nil { conditions.append("published > ?") }
        if query.publishedBefore != nil { conditions.append("published < ?") }
        for _ in query.tags { conditions.append("instr(tags, ?)") }
        return conditions.enumerated().map { index, condition in
            condition.replacing("?", with: "?\(index + 2)")
        }
    }

    private static func column(_ order: ArticleSort) -> String {
        switch order {
        case .newestFirst, .oldestFirst: "publication"
        case .createdLast, .createdFirst: "created"
        case .updatedLast, .updatedFirst: "updated"
        }
    }

    private static func advance(_ index: inout Int32) -> Int32 {
        defer { index += 1 }
        return index
    }
}
