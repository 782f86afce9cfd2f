import ArticleAPI
import BroadsheetSQLite

/// The entries of the outbox, in the file.
enum OutboxTable {
    static func store(
        _ write: StoredWrite, in connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement(
            """
            INSERT INTO outbox VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (number) DO UPDATE SET entry = ?4
            """)
        try row.bind(1, write.number)
        if let article = write.article { try row.bind(2, article) }
        try row.bind(3, write.isEdit ? 1 : 0)
        try row.bind(4, write.entry)
        try row.run()
    }

    /// - Returns: the entry; `nil` if there was none of this number.
    static func remove(
        _ number: Int, from connection: DatabaseConnection
    ) throws(OfflineError) -> StoredWrite? {
        let row = try connection.statement(
            "DELETE FROM outbox WHERE number = ?1 RETURNING number, article, edits, entry")
        try row.bind(1, number)
        guard try row.step() else { return nil }
        let write = try entry(in: row)
        while try row.step() {}
        return write
    }

    private static func entry(
        in row: borrowing SQLiteStatement<OfflineError>
    ) throws(OfflineError) -> StoredWrite {
        StoredWrite(
            number: row.number(0), article: row.isNull(1) ? nil : try row.identifier(1),
            isEdit: row.number(2) != 0, entry: row.bytes(3))
    }

    /// - Parameters:
    ///   - direction: of the numbers, `ASC` or `DESC`.
    ///   - connection: the file.
    ///   - body: called for each entry up to the first that cannot be read.
    static func forEach(
        _ direction: String = "ASC", in connection: DatabaseConnection,
        _ body: (StoredWrite) -> Void
    ) throws(OfflineError) {
        let row = try connection.statement(
            "SELECT number, article, edits, entry FROM outbox ORDER BY number \(direction)")
        while try row.step() { body(try entry(in: row)) }
    }

    /// The edits of an article, in order.
    static func writes(
        of id: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> [StoredWrite] {
        try writes(of: id, areEdits: true, in: connection)
    }

    /// The other requests about an article, in order: comments and bookmarks.
    static func requests(
        about id: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> [StoredWrite] {
        try writes(of: id, areEdits: false, in: connection)
    }

    private static func writes(
        of id: Article.ID, areEdits: Bool, in connection: DatabaseConnection
    ) throws(OfflineError) -> [StoredWrite] {
        let row = try connection.statement(
            """
            SELECT number, article, edits, entry FROM outbox
            WHERE article = ?1 AND edits = ?2 ORDER BY number
            """)
        try row.bind(1, id)
        try row.bind(2, areEdits ? 1 : 0)
        var writes: [StoredWrite] = []
        while try row.step() { writes.append(try entry(in: row)) }
        return writes
    }

    /// The articles with edits.
    static func articles(
        in connection: DatabaseConnection
    ) throws(OfflineError) -> Set<Article.ID> {
        let row = try connection.statement("SELECT DISTINCT article FROM outbox WHERE edits = 1")
        var ids: Set<Article.ID> = []
        while try row.step() { ids.insert(try row.identifier(0)) }
        return ids
    }
}

/// The articles that stay in the store because the app says so, in the file.
enum PinTable {
    /// - Returns: true if it was not pinned before.
    @discardableResult
    static func add(
        _ id: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        try change("INSERT OR IGNORE INTO pins VALUES (?1)", id, in: connection)
    }

    /// - Returns: true if it was pinned before.
    static func remove(
        _ id: Article.ID, from connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        try change("DELETE FROM pins WHERE article = ?1", id, in: connection)
    }

    private static func change(
        _ sql: String, _ id: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        let row = try connection.statement(sql)
        try row.bind(1, id)
        try row.run()
        return connection.changedRows > 0
    }

    static func contains(
        _ id: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        let row = try connection.statement("SELECT 1 FROM pins WHERE article = ?1")
        try row.bind(1, id)
        return try row.step()
    }

    static func forEach(
        in connection: DatabaseConnection, _ body: (Article.ID) -> Void
    ) throws(OfflineError) {
        let row = try connection.statement("SELECT article FROM pins")
        while try row.step() { body(try row.identifier(0)) }
    }
}
