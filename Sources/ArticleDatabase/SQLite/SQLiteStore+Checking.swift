public import ArticleStore

extension SQLiteStore {
    /// Checks a file that is not in use: whether SQLite finds it intact, and whether the store's
    /// invariants hold. Does not write.
    public static func check(path: String) throws(StoreOpeningError) -> CheckReport {
        let file = try DatabaseFile(path: path, mayCreate: false, isForReading: true)
        try file.verify(.bundled, mode: .existing)
        if file.hasJournal { throw .unfinished(path: file.path) }
        let connection = try file.reader()
        let version: Int
        do throws(StoreError) {
            try connection.configureReader(SQLiteConfiguration())
            version = try DatabaseSchema.version(on: connection)
            if version == DatabaseSchema.bundled.version { return try connection.examine() }
        } catch {
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw StoreOpeningError(error, at: file.path)
        }
        throw .older(path: file.path, version: version)
    }

    /// Checks a snapshot of the file concurrently with other operations.
    public func check() async throws(StoreError) -> CheckReport {
        do throws(StoreError) {
            return try await core.exports.read { (connection) throws(StoreError) in
                try connection.examine()
            }
        } catch {
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw error
        }
    }
}

extension CheckReport {
    /// The report for a file that cannot be read; `nil` for any other failure.
    init?(ofCorrupt error: StoreError) {
        guard case .corrupt(let text) = error else { return nil }
        self.init(articles: 0, revisions: 0, changes: 0, findings: [text])
    }
}

extension Connection {
    /// - Parameter promises: whether to check the invariants of this schema version, too.
    func examine(promises: Bool = true) throws(StoreError) -> CheckReport {
        // A large file's rows are sorted on disk.
        try execute(script: "PRAGMA temp_store = FILE")
        var findings = try lines(of: SQL.integrity).filter { $0 != "ok" }
        findings += try lines(of: SQL.foreignKeys)
        for invariant in SQL.invariants where promises { findings += try lines(of: invariant) }
        if promises {
            findings += try readTransaction(StoreLimits()) { (state) throws(StoreError) in
                try state.searchFindings()
            }
        }
        return CheckReport(
            articles: try number("SELECT count(*) FROM articles"),
            revisions: try number("SELECT count(*) FROM revisions"),
            changes: try number("SELECT count(*) FROM changes"), findings: findings)
    }

    private func lines(of sql: StaticString) throws(StoreError) -> [String] {
        let row = try statement(sql)
        var lines: [String] = []
        while try row.step() { lines.append(row.text(0)) }
        return lines
    }

    private func number(_ sql: StaticString) throws(StoreError) -> Int {
        let row = try statement(sql)
        return try row.step() ? Int(row.integer(0)) : 0
    }
}

extension SQL {
    static let integrity: StaticString = "PRAGMA integrity_check(20)"
    static let foreignKeys: StaticString = """
        SELECT "table" || ' ' || ifnull(rowid, '') || ' refers to a missing row in ' || parent
        FROM pragma_foreign_key_check LIMIT 20
        """

    /// Checks of the store's own invariants: each query returns one line of text per violation.
    static let invariants: [StaticString] = [
        """
        SELECT 'the number of stored writes of a principal differs from its counter'
        FROM (SELECT principal, count(*) AS found FROM kept_writes GROUP BY principal) AS kept
        FULL JOIN kept_counts USING (principal)
        WHERE ifnull(found, 0) <> ifnull(done + rejected, 0) LIMIT 20
        """,
        """
        SELECT 'the change sequence has ' || count(*) || ' entries numbered from ' || min(sequence)
            || ' to ' || max(sequence)
        FROM changes HAVING count(*) > 0 AND (min(sequence) <> 1 OR max(sequence) <> count(*))
        """,
        """
        SELECT 'article ' || hex(id) || ' is at revision ' || revision || ' but has ' || found
        FROM (SELECT id, revision,
            (SELECT count(*) FROM revisions
                WHERE row > articles.number << 20
                    AND row <= (articles.number << 20 | articles.revision)) AS found,
            (SELECT count(*) FROM revisions
                WHERE row > articles.number << 20
                    AND row < (articles.number + 1) << 20) AS every
            FROM articles)
        WHERE found <> revision OR every <> revision LIMIT 20
        """,
        """
        SELECT 'article ' || hex(articles.id) || ' differs from its last revision'
        FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
        WHERE articles.state <> CASE WHEN action = 2 THEN 3 ELSE revisions.state END
            OR publication <> ifnull(published_at, created_at)
            OR deleted_at IS NOT CASE WHEN action = 2 THEN revisions.time END
            OR articles.updated_at <> revisions.updated_at LIMIT 20
        """,
        """
        SELECT 'article ' || hex(id) || ' is not deleted but has no revision'
        FROM articles WHERE revision = 0 AND state <> 3 LIMIT 20
        """,
        """
        SELECT 'revision ' || number || ' of article ' || article || ' has an actor and an editor'
        FROM revisions WHERE actor IS NOT NULL AND editor IS NOT NULL LIMIT 20
        """,
        """
        SELECT 'change ' || sequence || ' refers to a missing revision'
        FROM changes LEFT JOIN revisions ON row = (subject << 20 | revision)
        WHERE kind = 0 AND (row IS NULL OR is_deletion <> (action = 2)) LIMIT 20
        """,
        """
        SELECT 'change ' || sequence || ' refers to a missing author or revision'
        FROM changes LEFT JOIN authors ON authors.number = subject
        WHERE kind = 1 AND (authors.id IS NULL OR changes.revision > authors.revision) LIMIT 20
        """,
        """
        SELECT 'revision ' || revision || ' of article ' || subject || ' has ' || count(*)
            || ' changes'
        FROM changes WHERE kind = 0 GROUP BY subject, revision HAVING count(*) > 1 LIMIT 20
        """,
        """
        SELECT 'there are ' || changes || ' changes for ' || revisions || ' revisions'
        FROM (SELECT (SELECT count(*) FROM changes WHERE kind = 0) AS changes,
            (SELECT count(*) FROM revisions) AS revisions)
        WHERE changes <> revisions
        """,
        """
        SELECT 'author ' || hex(id) || ' is at a revision without a change'
        FROM authors
        WHERE (number, revision) NOT IN (SELECT subject, revision FROM changes WHERE kind = 1)
        LIMIT 20
        """,
        """
        WITH steps AS (
            SELECT sequence, subject, changes.revision AS revision,
                after.action <> 2 AS is_there,
                after.action <> 2 AND after.state = 1 AS is_public,
                ifnull(before.action <> 2, 0) AS was_there,
                ifnull(before.action <> 2 AND before.state = 1, 0) AS was_public
            FROM changes
            JOIN revisions AS after ON after.row = (subject << 20 | changes.revision)
            LEFT JOIN revisions AS before ON before.row = after.row - 1
            WHERE kind = 0),
        expected AS (
            SELECT 0 AS audience, max(sequence) AS sequence, subject, revision,
                NOT is_public AS is_departure
            FROM steps WHERE is_public OR was_public GROUP BY subject
            UNION ALL
            SELECT 1, max(sequence), subject, revision, NOT is_there
            FROM steps WHERE is_there OR was_there GROUP BY subject),
        found AS (
            SELECT audience, sequence, subject, revision, is_departure
            FROM transitions WHERE kind = 0 AND audience < 2)
        SELECT 'article ' || subject || fault || sequence || ' for '
            || iif(audience = 0, 'the public', 'editors')
        FROM (
            SELECT *, ' lacks transition ' AS fault
            FROM (SELECT * FROM expected EXCEPT SELECT * FROM found)
            UNION ALL SELECT *, ' has the wrong transition '
            FROM (SELECT * FROM found EXCEPT SELECT * FROM expected)) LIMIT 20
        """,
        """
        WITH expected AS (
            SELECT 1 AS audience, min(sequence) AS sequence, authors.number AS subject
            FROM authors JOIN changes
                ON kind = 1 AND subject = number AND changes.revision = authors.revision
            GROUP BY authors.number
            UNION ALL
            SELECT 0, max(sequence), authors.number
            FROM authors JOIN changes ON kind = 1 AND subject = number
            WHERE EXISTS (SELECT 1 FROM listings WHERE facet = number AND state = 1)
            GROUP BY authors.number),
        found AS (
            SELECT audience, sequence, subject
            FROM transitions WHERE kind = 1 AND audience < 2 AND NOT is_departure)
        SELECT 'author ' || subject || fault || sequence || ' for '
            || iif(audience = 0, 'the public', 'editors')
        FROM (
            SELECT *, ' lacks transition ' AS fault
            FROM (SELECT * FROM expected EXCEPT SELECT * FROM found)
            UNION ALL SELECT *, ' has the wrong transition '
            FROM (SELECT * FROM found EXCEPT SELECT * FROM expected)) LIMIT 20
        """,
        """
        SELECT 'transition ' || transitions.sequence || ' of author ' || transitions.subject
            || ' refers to another change'
        FROM transitions LEFT JOIN changes USING (sequence, kind, subject, revision)
        WHERE kind = 1 AND changes.is_deletion IS NULL LIMIT 20
        """,
        """
        SELECT 'article ' || hex(articles.id) || ' has another owner than its last revision'
        FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
        WHERE articles.owner IS NOT revisions.owner AND (articles.owner IS NOT NULL
            OR articles.state <> 3 AND revisions.owner IN (SELECT id FROM users)) LIMIT 20
        """,
        """
        WITH steps AS (
            SELECT 1 + users.number AS audience, sequence, subject, changes.revision AS revision,
                after.action <> 2 AND after.owner IS users.id AS is_there,
                ifnull(before.action <> 2 AND before.owner IS users.id, 0) AS was_there
            FROM changes
            JOIN revisions AS after ON after.row = (subject << 20 | changes.revision)
            LEFT JOIN revisions AS before ON before.row = after.row - 1
            JOIN users ON users.id IN (after.owner, before.owner)
            WHERE kind = 0),
        expected AS (
            SELECT audience, max(sequence) AS sequence, subject, revision,
                NOT is_there AS is_departure
            FROM steps WHERE is_there OR was_there GROUP BY audience, subject),
        found AS (
            SELECT audience, sequence, subject, revision, is_departure
            FROM transitions WHERE kind = 0 AND audience > 1)
        SELECT 'article ' || subject || fault || sequence || ' for owner ' || (audience - 1)
        FROM (
            -- Departures of a user who is being deleted may be gone.
            SELECT *, ' lacks transition ' AS fault
            FROM (SELECT * FROM expected WHERE NOT is_departure EXCEPT SELECT * FROM found)
            UNION ALL SELECT *, ' has the wrong transition '
            FROM (SELECT * FROM found EXCEPT SELECT * FROM expected)) LIMIT 20
        """,
        """
        WITH owned AS (
            SELECT articles.owner AS owner, articles.state AS state, authors, tags
            FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
            WHERE articles.owner IS NOT NULL AND articles.state <> 3),
        places AS (
            SELECT owner, state, value AS facet FROM owned, json_each(authors)
            UNION ALL SELECT owner, state, value FROM owned, json_each(tags)),
        expected AS (
            SELECT facet, owner, count(*) AS live, sum(state <> 1) AS hidden
            FROM places GROUP BY facet, owner)
        SELECT 'the articles of an owner under facet ' || facet || ' are not counted correctly'
        FROM (
            SELECT * FROM (SELECT * FROM expected EXCEPT SELECT * FROM owned_facets)
            UNION ALL SELECT * FROM (SELECT * FROM owned_facets EXCEPT SELECT * FROM expected))
        LIMIT 20
        """,
        """
        SELECT 'the slug ' || revisions.slug || ' is not reserved for its article'
        FROM revisions LEFT JOIN slugs ON slugs.slug = revisions.slug
        WHERE slugs.article IS NOT revisions.article LIMIT 20
        """,
        """
        WITH live AS (
            SELECT articles.number AS article, articles.id AS uuid, articles.state AS state,
                publication, authors, tags, language, source_name
            FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
            WHERE articles.state <> 3),
        places AS (
            SELECT article, uuid, state, publication, 1 AS facet FROM live
            UNION ALL SELECT article, uuid, state, publication, value FROM live, json_each(authors)
            UNION ALL SELECT article, uuid, state, publication, value FROM live, json_each(tags)
            UNION ALL SELECT article, uuid, state, publication,
                (SELECT number FROM facets WHERE kind = 3 AND key = language) FROM live
            UNION ALL SELECT article, uuid, state, publication,
                (SELECT number FROM facets WHERE kind = 4 AND key = source_name) FROM live
                WHERE source_name IS NOT NULL)
        SELECT * FROM (
            SELECT 'article ' || hex(places.uuid) || ' is not listed under '
                || ifnull(places.facet, 'a facet')
            FROM places LEFT JOIN listings
                ON listings.facet = places.facet AND listings.state = places.state
                AND listings.publication = places.publication AND listings.id = places.uuid
            WHERE listings.article IS NOT places.article LIMIT 20)
        UNION ALL
        SELECT 'there are ' || listed || ' listing entries instead of ' || expected
        FROM (SELECT (SELECT count(*) FROM listings) AS listed,
            (SELECT count(*) FROM places) AS expected)
        WHERE listed <> expected
        """,
        """
        SELECT 'facet ' || number || ' counts ' || live || ' articles, ' || published
            || ' published, but has ' || ifnull(articles, 0) || ', ' || ifnull(public, 0)
        FROM facets LEFT JOIN (
            SELECT facet, count(*) AS articles, sum(state = 1) AS public
            FROM listings GROUP BY facet) ON facet = number
        WHERE live <> ifnull(articles, 0) OR published <> ifnull(public, 0) LIMIT 20
        """,
        """
        SELECT 'facet ' || facets.number || ' does not belong to an author'
        FROM facets LEFT JOIN authors ON authors.number = facets.number
        WHERE kind = 2 AND authors.id IS NOT facets.key LIMIT 20
        """,
        """
        SELECT 'the authors or tags of revision ' || revisions.number || ' of article '
            || article || ' refer to missing facets'
        FROM revisions
        WHERE EXISTS (SELECT 1 FROM json_each(authors)
                WHERE value NOT IN (SELECT number FROM facets WHERE kind = 2))
            OR EXISTS (SELECT 1 FROM json_each(tags)
                WHERE value NOT IN (SELECT number FROM facets WHERE kind = 1)) LIMIT 20
        """,
        """
        SELECT 'body ' || bodies.number || ' does not belong to a revision'
        FROM bodies WHERE number NOT IN (SELECT body FROM revisions) LIMIT 20
        """,
        """
        SELECT 'the body of revision ' || revisions.number || ' of article ' || article
            || ' differs from its recorded length'
        FROM revisions JOIN bodies ON bodies.number = body
        WHERE body_bytes <> length(CAST(text AS BLOB)) LIMIT 20
        """,
        """
        SELECT 'the import of ' || path || ' refers to a future revision'
        FROM imports JOIN articles ON articles.number = article
        WHERE imports.revision > articles.revision AND articles.revision > 0 LIMIT 20
        """,
        """
        SELECT 'there are ' || found || ' users, but their counter is ' || ifnull(value, 'missing')
        FROM (SELECT count(*) AS found FROM users) LEFT JOIN user_count ON number = 1
        WHERE value IS NOT found
        """,
        """
        SELECT 'change ' || sequence || ' refers to a missing comment or revision'
        FROM changes LEFT JOIN comments ON comments.number = subject
        WHERE kind = 2 AND (comments.id IS NULL OR changes.revision > comments.revision) LIMIT 20
        """,
        """
        SELECT 'comment ' || hex(comments.id) || ' counts ' || comments.visible_replies
            || ' visible replies, but has ' || ifnull(found, 0)
        FROM comments LEFT JOIN (
            SELECT parent, count(*) AS found FROM comments
            WHERE parent IS NOT NULL AND state = 0 GROUP BY parent) AS replies
            ON replies.parent = comments.number
        WHERE visible_replies <> ifnull(found, 0) LIMIT 20
        """,
        """
        SELECT 'article ' || ifnull(article, number) || ' counts ' || ifnull(visible, 0)
            || ' visible comments, but has ' || ifnull(found, 0)
        FROM comment_counts FULL JOIN (
            SELECT article AS number, count(*) AS found FROM comments WHERE state = 0
            GROUP BY article) ON article = number
        WHERE ifnull(visible, 0) <> ifnull(found, 0) LIMIT 20
        """,
        """
        SELECT 'comment ' || number || ' has the wrong transition for '
            || iif(who.audience = 0, 'the public', 'editors')
        FROM comments JOIN (SELECT 0 AS audience UNION ALL SELECT 1) AS who
        LEFT JOIN comment_transitions
            ON comment = number AND comment_transitions.audience = who.audience
        WHERE ifnull(NOT is_departure, 0) <> (sight > 1 - who.audience) LIMIT 20
        """,
        """
        SELECT 'comment ' || number || ' has the wrong transition for its writer'
        FROM comments LEFT JOIN comment_transitions ON comment = number AND audience = 1 + writer
        WHERE writer IS NOT NULL AND ifnull(NOT is_departure, 0) <> (sight = 2 OR state = 1)
        LIMIT 20
        """,
        """
        SELECT 'the bookmark of article ' || article || ' by user ' || user
            || ' has the wrong transition'
        FROM bookmarks FULL JOIN bookmark_transitions USING (user, article)
        WHERE ifnull(is_departure, 2) <> (bookmarks.revision IS NULL)
            OR bookmarks.revision <> bookmark_transitions.revision LIMIT 20
        """,
    ]
}
