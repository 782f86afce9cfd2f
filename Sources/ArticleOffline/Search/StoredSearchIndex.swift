import ArticleAPI
import ArticleSearch
import BroadsheetSQLite

/// The index for searches in the file of a store, so that the first search after a launch need not
/// read all articles.
///
/// Its segments are stored one after another, with the blocks of each, and are read once the index
/// is complete. It is as of then: `search_changes` has the articles that may have changed since,
/// and those that were in no segment.
enum StoredSearchIndex {
    /// A segment in the file.
    struct StoredSegment {
        let segment: Segment
        /// Its blocks of keys.
        let keys: [SearchBlock]
        /// The size of the texts of its documents, in bytes.
        let textBytes: Int
    }

    // MARK: Reading

    /// Returns the segments, the oldest first; an empty array without a complete index that this
    /// app can read.
    static func segments(
        in connection: DatabaseConnection
    ) throws(OfflineError) -> [StoredSegment] {
        let row = try connection.statement(
            """
            SELECT number, level, version, textBytes, dead FROM search_segments WHERE complete
            ORDER BY number
            """)
        var segments: [StoredSegment] = []
        while try row.step() {
            guard row.integer(2) == SearchTokenizer.version else { return [] }
            let blocks = try blocks(of: row.integer(0), in: connection)
            let keys = blocks.filter { $0.number < SearchBlock.firstDocuments }
            let documents = blocks.dropFirst(keys.count).map(\.data)
            do throws(SearchIndexError) {
                let firsts = keys.compactMap { key in key.first.map { ($0, key.number) } }
                let segment = try Segment(
                    number: row.integer(0), level: row.number(1),
                    directory: try KeyDirectory(firsts.map { (first: $0.0, block: $0.1) }),
                    documents: documents, dead: row.bytes(4))
                guard segment.keyBlocks == keys.count else { return [] }
                segments.append(
                    StoredSegment(segment: segment, keys: keys, textBytes: row.number(3)))
            } catch {
                // The next search indexes all articles, and replaces it.
                return []
            }
        }
        return segments
    }

    private static func blocks(
        of segment: Int64, in connection: DatabaseConnection
    ) throws(OfflineError) -> [SearchBlock] {
        let row = try connection.statement(
            "SELECT row, first, data FROM search_blocks WHERE row >= ?1 AND row < ?2 ORDER BY row")
        try row.bind(1, Self.row(segment, 0))
        try row.bind(2, Self.row(segment + 1, 0))
        var blocks: [SearchBlock] = []
        while try row.step() {
            blocks.append(
                SearchBlock(
                    number: Int(row.integer(0) & (1 << 31 - 1)),
                    first: row.isNull(1) ? nil : row.bytes(1), data: row.bytes(2)))
        }
        return blocks
    }

    /// The row of a block.
    private static func row(_ segment: Int64, _ block: Int) -> Int64 {
        segment << 31 | Int64(block)
    }

    /// Returns the articles that may have changed since the index was complete.
    static func changes(
        in connection: DatabaseConnection
    ) throws(OfflineError) -> [Article.ID] {
        let row = try connection.statement("SELECT article FROM search_changes")
        var ids: [Article.ID] = []
        while try row.step() { ids.append(try row.identifier(0)) }
        return ids
    }

    // MARK: Writing

    /// Adds a segment, which is read once the index is complete.
    ///
    /// - Returns: its number in the file.
    static func add(
        _ segment: Segment, _ blocks: [SearchBlock], textBytes: Int,
        in connection: DatabaseConnection
    ) throws(OfflineError) -> Int64 {
        let row = try connection.statement(
            """
            INSERT INTO search_segments (level, version, textBytes, dead, complete)
            VALUES (?1, ?2, ?3, ?4, 0)
            """)
        try row.bind(1, segment.level)
        try row.bind(2, SearchTokenizer.version)
        try row.bind(3, textBytes)
        try row.bind(4, segment.dead)
        try row.run()
        let number = connection.lastInsertedRow
        for block in blocks {
            let row = try connection.statement("INSERT INTO search_blocks VALUES (?1, ?2, ?3)")
            try row.bind(1, Self.row(number, block.number))
            if let first = block.first { try row.bind(2, first) }
            try row.bind(3, block.data)
            try row.run()
        }
        return number
    }

    /// The index consists of these segments, by their numbers in the file, and lacks these
    /// articles.
    static func complete(
        _ segments: [(number: Int64, segment: Segment)], without articles: [Article.ID],
        in connection: DatabaseConnection
    ) throws(OfflineError) {
        try connection.execute("UPDATE search_segments SET complete = 0")
        for (number, segment) in segments {
            let row = try connection.statement(
                "UPDATE search_segments SET dead = ?2, complete = 1 WHERE number = ?1")
            try row.bind(1, number)
            try row.bind(2, segment.dead)
            try row.run()
        }
        let others = try connection.statement(
            "SELECT number FROM search_segments WHERE NOT complete")
        var obsolete: [Int64] = []
        while try others.step() { obsolete.append(others.integer(0)) }
        for number in obsolete { try remove(number, from: connection) }
        try connection.execute("DELETE FROM search_changes")
        for id in articles { try noteChange(of: id, in: connection) }
    }

    private static func remove(
        _ segment: Int64, from connection: DatabaseConnection
    ) throws(OfflineError) {
        let blocks = try connection.statement(
            "DELETE FROM search_blocks WHERE row >= ?1 AND row < ?2")
        try blocks.bind(1, Self.row(segment, 0))
        try blocks.bind(2, Self.row(segment + 1, 0))
        try blocks.run()
        let row = try connection.statement("DELETE FROM search_segments WHERE number = ?1")
        try row.bind(1, segment)
        try row.run()
    }

    /// Removes the index: any article may have changed.
    static func removeAll(from connection: DatabaseConnection) throws(OfflineError) {
        for table in ["search_segments", "search_blocks", "search_changes"] {
            try connection.execute("DELETE FROM \(table)")
        }
    }

    // MARK: Changes

    /// Returns true if there is an index, of which changes have to be noted.
    static func exists(in connection: DatabaseConnection) throws(OfflineError) -> Bool {
        let row = try connection.statement("SELECT 1 FROM search_segments LIMIT 1")
        return try row.step()
    }

    static func noteChange(
        of article: Article.ID, in connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement("INSERT OR IGNORE INTO search_changes VALUES (?1)")
        try row.bind(1, article)
        try row.run()
    }

    /// The author has another name in the by-lines of articles.
    static func noteRename(
        of author: Author.ID, in connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement(
            """
            INSERT OR IGNORE INTO search_changes
            SELECT a.id FROM bylines b JOIN articles a ON a.number = b.article WHERE b.author = ?1
            """)
        try row.bind(1, author)
        try row.run()
    }
}
