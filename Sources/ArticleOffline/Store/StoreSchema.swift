import BroadsheetSQLite

/// The tables of a store's file.
enum StoreSchema {
    /// The version that this code reads and writes.
    static let version = 4

    /// Marks the file as a store: "BrSt".
    static let applicationID = 0x4272_5374

    // The numbers of types that have tables of their own.
    static let articleKind = 1
    static let authorKind = 2
    static let commentKind = 3
    /// The number of responses, which are rows beside the models.
    static let responseKind = 4

    /// An estimate of the size of a model's row besides its facts.
    static let rowBytes = 400

    /// Rows hold the known facts of a model as bytes, and beside them the columns by which lists
    /// sort and filter. An article is in `articles` and `bylines` once all of these are known;
    /// `tags` has the keys of its tags, with a line break before and after each. Only the default
    /// order has an index: to sort 10,000 rows otherwise takes a millisecond, and to find a slug
    /// 0.3 ms, while indexes for these took 2 µs for each new article, and 5 µs in a file. Rows
    /// that were added are counted in `totals` once a transaction, as a trigger took 2 µs. A
    /// response is a row of `models` without a shape. `holds` counts the reasons for which a model
    /// stays: a pin, membership in mirrors, and unsent writes to it or about it. The `generation`
    /// of a member is -1 while its mirror has not confirmed a write of the outbox. The tables of
    /// searches are those of `StoredSearchIndex`.
    static let script = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE kinds (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        INSERT INTO kinds VALUES (\(articleKind), 'Article'), (\(authorKind), 'Author'),
            (\(commentKind), 'Comment'), (\(responseKind), '');
        CREATE TABLE shapes (
            number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, names TEXT NOT NULL,
            UNIQUE (kind, names));
        CREATE TABLE totals (bytes INTEGER NOT NULL, valueBytes INTEGER NOT NULL);
        INSERT INTO totals VALUES (0, 0);

        CREATE TABLE models (
            number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, id BLOB NOT NULL,
            shape INTEGER NOT NULL, facts BLOB NOT NULL, bytes INTEGER NOT NULL,
            seen INTEGER NOT NULL, holds INTEGER NOT NULL, UNIQUE (kind, id));
        CREATE INDEX loose ON models (seen) WHERE holds = 0;
        CREATE TABLE articles (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL, slug TEXT NOT NULL,
            publication INTEGER NOT NULL, published INTEGER, created INTEGER NOT NULL,
            updated INTEGER NOT NULL, language TEXT NOT NULL, status TEXT NOT NULL, source TEXT,
            tags TEXT NOT NULL);
        CREATE INDEX by_publication ON articles (publication, id);
        CREATE TABLE bylines (
            article INTEGER NOT NULL, author BLOB NOT NULL, PRIMARY KEY (article, author)
        ) WITHOUT ROWID;
        CREATE TABLE comments (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL, article BLOB NOT NULL,
            created INTEGER NOT NULL);
        CREATE INDEX comments_on ON comments (article, created, id);
        CREATE TABLE names (
            author BLOB PRIMARY KEY, name TEXT NOT NULL, revision INTEGER NOT NULL) WITHOUT ROWID;

        CREATE TABLE endings (
            number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, id BLOB NOT NULL,
            gone INTEGER, unmatched INTEGER, time INTEGER, seen INTEGER NOT NULL,
            UNIQUE (kind, id));
        CREATE TABLE stored_values (
            number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL,
            bytes INTEGER NOT NULL, expires INTEGER);
        CREATE TABLE pins (article BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE mirrors (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, filter TEXT NOT NULL,
            token TEXT, generation INTEGER NOT NULL, complete INTEGER NOT NULL);
        CREATE TABLE members (
            mirror INTEGER NOT NULL, kind INTEGER NOT NULL, id BLOB NOT NULL,
            generation INTEGER NOT NULL, PRIMARY KEY (kind, id, mirror)) WITHOUT ROWID;
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY, article BLOB, edits INTEGER NOT NULL,
            entry BLOB NOT NULL);
        CREATE INDEX outbox_of ON outbox (article);
        CREATE TABLE search_segments (
            number INTEGER PRIMARY KEY, level INTEGER NOT NULL, version INTEGER NOT NULL,
            textBytes INTEGER NOT NULL, dead BLOB NOT NULL, complete INTEGER NOT NULL);
        CREATE TABLE search_blocks (row INTEGER PRIMARY KEY, first BLOB, data BLOB NOT NULL);
        CREATE TABLE search_changes (article BLOB PRIMARY KEY) WITHOUT ROWID;

        CREATE TRIGGER model_changed AFTER UPDATE OF bytes ON models
            WHEN NEW.bytes <> OLD.bytes BEGIN
            UPDATE totals SET bytes = bytes + NEW.bytes - OLD.bytes; END;
        CREATE TRIGGER model_removed AFTER DELETE ON models BEGIN
            UPDATE totals SET bytes = bytes - OLD.bytes;
            DELETE FROM articles WHERE number = OLD.number;
            DELETE FROM comments WHERE number = OLD.number; END;
        CREATE TRIGGER value_made AFTER INSERT ON stored_values BEGIN
            UPDATE totals SET valueBytes = valueBytes + NEW.bytes; END;
        CREATE TRIGGER value_removed AFTER DELETE ON stored_values BEGIN
            UPDATE totals SET valueBytes = valueBytes - OLD.bytes; END;
        CREATE TRIGGER article_removed AFTER DELETE ON articles BEGIN
            DELETE FROM bylines WHERE article = OLD.number; END;
        CREATE TRIGGER pinned AFTER INSERT ON pins BEGIN
            UPDATE models SET holds = holds + 1 WHERE kind = 1 AND id = NEW.article; END;
        CREATE TRIGGER unpinned AFTER DELETE ON pins BEGIN
            UPDATE models SET holds = holds - 1 WHERE kind = 1 AND id = OLD.article; END;
        CREATE TRIGGER mirrored AFTER INSERT ON members BEGIN
            UPDATE models SET holds = holds + 1 WHERE kind = NEW.kind AND id = NEW.id; END;
        CREATE TRIGGER unmirrored AFTER DELETE ON members BEGIN
            UPDATE models SET holds = holds - 1 WHERE kind = OLD.kind AND id = OLD.id; END;
        CREATE TRIGGER written AFTER INSERT ON outbox BEGIN
            UPDATE models SET holds = holds + 1 WHERE kind = 1 AND id = NEW.article; END;
        CREATE TRIGGER sent AFTER DELETE ON outbox BEGIN
            UPDATE models SET holds = holds - 1 WHERE kind = 1 AND id = OLD.article; END;
        """

    /// Makes the tables, or checks those that are there.
    ///
    /// - Throws: `newer`, `otherAccount`, or `damaged` for a file that is not a store.
    static func prepare(
        _ connection: DatabaseConnection, account: String?
    ) throws(OfflineError) {
        if try isEmpty(connection) {
            try connection.useLog()
            try connection.execute(script: "BEGIN IMMEDIATE")
            // Another process may have made them meanwhile.
            if try isEmpty(connection) { try make(connection, account: account) }
            try connection.execute(script: "COMMIT")
        }
        try check(connection, account: account)
        // A draft has no log.
        try connection.useLog()
    }

    /// Changes nothing.
    private static func check(
        _ connection: DatabaseConnection, account: String?
    ) throws(OfflineError) {
        let marked = try pragma("user_version", connection)
        let stated = try meta("schema", connection).flatMap { Int($0) }
        // A newer app has written both: one number alone may be damage.
        if let stated, stated > version, marked == stated { throw .newer(schema: stated) }
        guard stated == version else { throw .damaged("the version of the schema is unreadable") }
        guard try meta("account", connection) == account else { throw .otherAccount }
    }

    private static func isEmpty(_ connection: DatabaseConnection) throws(OfflineError) -> Bool {
        let row = try connection.statement("SELECT 1 FROM sqlite_master LIMIT 1")
        return try !row.step()
    }

    private static func make(
        _ connection: DatabaseConnection, account: String?
    ) throws(OfflineError) {
        try connection.execute(
            script: """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                \(script)
                INSERT INTO meta VALUES ('schema', '\(version)');
                """)
        guard let account else { return }
        let row = try connection.statement("INSERT INTO meta VALUES ('account', ?1)")
        try row.bind(1, account)
        try row.run()
    }

    private static func pragma(
        _ name: String, _ connection: DatabaseConnection
    ) throws(OfflineError) -> Int {
        let row = try connection.statement("PRAGMA \(name)")
        return try row.step() ? row.number(0) : 0
    }

    private static func meta(
        _ key: String, _ connection: DatabaseConnection
    ) throws(OfflineError) -> String? {
        let row = try connection.statement("SELECT value FROM meta WHERE key = ?1")
        try row.bind(1, key)
        return try row.step() ? row.optionalText(0) : nil
    }
}
