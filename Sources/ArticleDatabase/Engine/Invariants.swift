/// The invariants of the store, which hold in every committed state of both engines.
///
/// Each is a query that returns one line of text per violation.
struct Invariants {
    /// The differences between the spellings of the engines.
    struct Dialect {
        /// The digits of bytes.
        let hex: @Sendable (String) -> String
        /// A table with the column `value`, of the numbers in a text like `[1,2]`.
        let numbers: @Sendable (String) -> String
        /// The key of a facet that is a text.
        let key: @Sendable (String) -> String
        /// The number of bytes of a text.
        let length: @Sendable (String) -> String

        static let sqlite = Dialect(
            hex: { "hex(\($0))" }, numbers: { "json_each(\($0))" }, key: { $0 },
            length: { "length(CAST(\($0) AS BLOB))" })
        /// Its texts have escapes: see `PostgresText`.
        static let postgres = Dialect(
            hex: { "upper(encode(\($0), 'hex'))" },
            numbers: {
                "unnest(string_to_array(btrim(\($0), '[]'), ',')::bigint[]) AS numbers(value)"
            },
            key: { "convert_to(\($0), 'UTF8')" },
            length: {
                "octet_length(replace(replace(\($0), U&'\\+10FFFF' || '0', '1'), "
                    + "U&'\\+10FFFF' || '1', '4444'))"
            })
    }

    let queries: [String]

    init(in dialect: Dialect) {
        queries =
            Self.counts + Self.articles(dialect) + Self.contents(dialect)
            + Self.transitions + Self.listings(dialect) + Self.comments(dialect)
    }

    private static let counts = [
        """
        SELECT 'the number of stored writes of a principal differs from its counter'
        FROM (SELECT principal, count(*) AS found FROM kept_writes GROUP BY principal) AS kept
        FULL JOIN kept_counts USING (principal)
        WHERE coalesce(found, 0) <> coalesce(done + rejected, 0) LIMIT 20
        """,
        """
        SELECT 'the change sequence has ' || count(sequence) || ' entries after ' || dropped
            || ', the last of which is ' || coalesce(max(sequence), 0)
        FROM retention LEFT JOIN changes ON sequence > dropped GROUP BY dropped
        HAVING count(sequence) > 0 AND max(sequence) <> dropped + count(sequence)
        """,
        """
        SELECT 'the import of ' || path || ' refers to a future revision'
        FROM imports JOIN articles ON articles.number = article
        WHERE imports.revision > articles.revision AND articles.revision > 0 LIMIT 20
        """,
        """
        SELECT 'the number of users is ' || found || ', but their counter is '
            || coalesce(CAST(value AS text), 'missing')
        FROM (SELECT count(*) AS found FROM users) AS counted
        LEFT JOIN user_count ON number = 1
        WHERE value IS DISTINCT FROM found
        """,
    ]

    private static func articles(_ dialect: Dialect) -> [String] {
        [
            """
            SELECT 'article ' || \(dialect.hex("id")) || ' is at revision ' || revision
                || ' but has ' || coalesce(found, 0) || ' up to ' || coalesce(last, 0)
            FROM articles LEFT JOIN (
                SELECT article, count(*) AS found, max(number) AS last FROM revisions
                GROUP BY article) AS history ON article = articles.number
            WHERE last IS DISTINCT FROM revision AND revision > 0
                    AND (state <> 3 OR last IS NOT NULL)
                OR last > 0 AND revision = 0 LIMIT 20
            """,
            """
            SELECT 'article ' || \(dialect.hex("articles.id")) || ' differs from its last revision'
            FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
            WHERE articles.state <> CASE WHEN action = 2 THEN 3 ELSE revisions.state END
                OR publication <> coalesce(published_at, created_at)
                OR deleted_at IS DISTINCT FROM CASE WHEN action = 2 THEN revisions.time END
                OR articles.updated_at <> revisions.updated_at LIMIT 20
            """,
            """
            SELECT 'article ' || \(dialect.hex("id")) || ' is not deleted but has no revision'
            FROM articles WHERE revision = 0 AND state <> 3 LIMIT 20
            """,
            """
            SELECT 'revision ' || number || ' of article ' || article
                || ' has an actor and an editor'
            FROM revisions WHERE actor IS NOT NULL AND editor IS NOT NULL LIMIT 20
            """,
            """
            SELECT 'article ' || \(dialect.hex("articles.id"))
                || ' has another owner than its last revision'
            FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
            WHERE articles.owner IS DISTINCT FROM revisions.owner AND (articles.owner IS NOT NULL
                OR articles.state <> 3
                    AND EXISTS (SELECT 1 FROM users WHERE users.id = revisions.owner)) LIMIT 20
            """,
        ]
    }

    /// Returns queries for the rows that revisions refer to.
    private static func contents(_ dialect: Dialect) -> [String] {
        [
            """
            SELECT 'the slug ' || revisions.slug || ' is not reserved for its article'
            FROM revisions LEFT JOIN slugs ON slugs.slug = revisions.slug
            WHERE slugs.article IS DISTINCT FROM revisions.article LIMIT 20
            """,
            """
            SELECT 'the authors or tags of revision ' || revisions.number || ' of article '
                || article || ' refer to missing facets'
            FROM revisions
            WHERE EXISTS (
                    SELECT 1 FROM \(dialect.numbers("authors"))
                    LEFT JOIN facets ON facets.number = value AND kind = 2
                    WHERE facets.number IS NULL)
                OR EXISTS (
                    SELECT 1 FROM \(dialect.numbers("tags"))
                    LEFT JOIN facets ON facets.number = value AND kind = 1
                    WHERE facets.number IS NULL) LIMIT 20
            """,
            """
            SELECT 'body ' || body || ' has a rendering that no article needs'
            FROM renderings WHERE body > (SELECT renderings FROM retention)
                AND NOT EXISTS (SELECT 1 FROM revisions JOIN articles
                    ON articles.number = article AND articles.revision = revisions.number
                    WHERE revisions.body = renderings.body AND articles.state <> 3) LIMIT 20
            """,
            """
            SELECT 'body ' || bodies.number || ' does not belong to a revision'
            FROM bodies LEFT JOIN revisions ON revisions.body = bodies.number
            WHERE revisions.body IS NULL LIMIT 20
            """,
            """
            SELECT 'the body of revision ' || revisions.number || ' of article ' || article
                || ' differs from its recorded length'
            FROM revisions JOIN bodies ON bodies.number = body
            WHERE body_bytes <> \(dialect.length("text")) LIMIT 20
            """,
        ]
    }

    /// Queries for changes, and their transitions in the audiences' logs.
    private static let transitions = [
        """
        SELECT 'change ' || sequence || ' refers to a missing revision'
        FROM changes LEFT JOIN articles ON articles.number = subject
        LEFT JOIN revisions ON row = (subject << 20 | changes.revision)
        WHERE kind = 0 AND (articles.id IS NULL OR changes.revision > articles.revision
            OR row IS NOT NULL AND (is_deletion = 1) <> (action = 2)) LIMIT 20
        """,
        """
        SELECT 'change ' || sequence || ' refers to a missing author or revision'
        FROM changes LEFT JOIN authors ON authors.number = subject
        WHERE kind = 1 AND (authors.id IS NULL OR changes.revision > authors.revision) LIMIT 20
        """,
        """
        SELECT 'change ' || sequence || ' refers to a missing comment or revision'
        FROM changes LEFT JOIN comments ON comments.number = subject
        WHERE kind = 2 AND (comments.id IS NULL OR changes.revision > comments.revision) LIMIT 20
        """,
        """
        SELECT 'revision ' || revision || ' of article ' || subject || ' has ' || count(*)
            || ' changes'
        FROM changes WHERE kind = 0 GROUP BY subject, revision HAVING count(*) > 1 LIMIT 20
        """,
        """
        SELECT 'revision ' || number || ' of article ' || article || ' has no change'
        FROM (SELECT article, number FROM revisions
            EXCEPT SELECT subject, revision FROM changes WHERE kind = 0) AS missing LIMIT 20
        """,
        """
        SELECT 'author ' || authors.number || ' is at a revision without a change'
        FROM authors LEFT JOIN changes
            ON kind = 1 AND subject = authors.number AND changes.revision = authors.revision
        WHERE sequence IS NULL LIMIT 20
        """,
        """
        WITH seen AS (
            SELECT 0 AS audience, article, number FROM revisions WHERE action <> 2 AND state = 1
            UNION ALL SELECT 1, article, number FROM revisions WHERE action <> 2
            UNION ALL SELECT 1 + users.number, article, revisions.number
            FROM revisions JOIN users ON users.id = revisions.owner WHERE action <> 2),
        last AS (
            SELECT audience, article, max(number) AS number FROM seen GROUP BY audience, article),
        found AS (
            SELECT audience, sequence, subject AS article, revision, is_departure
            FROM transitions WHERE kind = 0),
        compared AS (
            SELECT audience, article, sequence, is_departure, found.revision AS revision,
                last.number AS last, articles.revision AS current
            FROM last FULL JOIN found USING (audience, article)
            LEFT JOIN articles ON articles.number = article)
        SELECT 'article ' || compared.article
            || CASE WHEN sequence IS NULL THEN ' lacks' ELSE ' has the wrong' END
            || ' transition ' || coalesce(sequence, last)
            || CASE audience WHEN 0 THEN ' for the public' WHEN 1 THEN ' for editors'
                ELSE ' for owner ' || (audience - 1) END
        FROM compared LEFT JOIN revisions AS before
            ON before.row = (compared.article << 20 | compared.revision - 1)
        -- Departures of a user who is being deleted may be gone.
        WHERE sequence IS NULL AND (audience < 2 OR last = current)
            OR is_departure = 0 AND (last IS DISTINCT FROM current OR compared.revision <> current)
            OR is_departure = 1 AND (compared.revision = 1 OR last >= compared.revision
                OR before.row IS NOT NULL AND before.number IS DISTINCT FROM last)
        LIMIT 20
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
            FROM transitions WHERE kind = 1 AND audience < 2 AND is_departure = 0)
        SELECT 'author ' || subject || fault || sequence || ' for '
            || CASE audience WHEN 0 THEN 'the public' ELSE 'editors' END
        FROM (
            SELECT missing.*, ' lacks transition ' AS fault
            FROM (SELECT * FROM expected EXCEPT SELECT * FROM found) AS missing
            UNION ALL SELECT wrong.*, ' has the wrong transition '
            FROM (SELECT * FROM found EXCEPT SELECT * FROM expected) AS wrong) AS faults LIMIT 20
        """,
        """
        SELECT 'transition ' || transitions.sequence || ' of '
            || CASE kind WHEN 0 THEN 'article ' ELSE 'author ' END || transitions.subject
            || ' refers to another change'
        FROM transitions LEFT JOIN changes USING (sequence, kind, subject, revision)
        WHERE kind < 2 AND changes.is_deletion IS NULL LIMIT 20
        """,
    ]

    private static func listings(_ dialect: Dialect) -> [String] {
        [
            """
            WITH owned AS (
                SELECT articles.owner AS owner, articles.state AS state, authors, tags
                FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
                WHERE articles.owner IS NOT NULL AND articles.state <> 3),
            places AS (
                SELECT owner, state, value AS facet FROM owned, \(dialect.numbers("authors"))
                UNION ALL SELECT owner, state, value FROM owned, \(dialect.numbers("tags"))),
            expected AS (
                SELECT facet, owner, count(*) AS live,
                    count(*) FILTER (WHERE state <> 1) AS hidden
                FROM places GROUP BY facet, owner)
            SELECT 'the articles of an owner under facet ' || facet
                || ' are not counted correctly'
            FROM (
                SELECT facet
                FROM (SELECT * FROM expected EXCEPT SELECT * FROM owned_facets) AS missing
                UNION ALL SELECT facet
                FROM (SELECT * FROM owned_facets EXCEPT SELECT * FROM expected) AS wrong) AS faults
            LIMIT 20
            """,
            """
            WITH live AS (
                SELECT articles.number AS article, articles.id AS uuid, articles.state AS state,
                    publication, authors, tags, language, source_name
                FROM articles JOIN revisions ON row = (articles.number << 20 | revision)
                WHERE articles.state <> 3),
            places AS (
                SELECT article, uuid, state, publication, 1 AS facet FROM live
                UNION ALL SELECT article, uuid, state, publication, value
                FROM live, \(dialect.numbers("authors"))
                UNION ALL SELECT article, uuid, state, publication, value
                FROM live, \(dialect.numbers("tags"))
                UNION ALL SELECT article, uuid, state, publication, facets.number
                FROM live LEFT JOIN facets ON kind = 3 AND key = \(dialect.key("language"))
                UNION ALL SELECT article, uuid, state, publication, facets.number
                FROM live LEFT JOIN facets ON kind = 4 AND key = \(dialect.key("source_name"))
                WHERE source_name IS NOT NULL)
            SELECT * FROM (
                SELECT 'article ' || \(dialect.hex("places.uuid")) || ' is not listed under '
                    || coalesce(CAST(places.facet AS text), 'a facet')
                FROM places LEFT JOIN listings
                    ON listings.facet = places.facet AND listings.state = places.state
                    AND listings.publication = places.publication AND listings.id = places.uuid
                WHERE listings.article IS DISTINCT FROM places.article LIMIT 20) AS missing
            UNION ALL
            SELECT 'the number of listing entries is ' || listed || ' instead of ' || expected
            FROM (SELECT (SELECT count(*) FROM listings) AS listed,
                (SELECT count(*) FROM places) AS expected) AS counted
            WHERE listed <> expected
            """,
            """
            SELECT 'facet ' || number || ' counts ' || live || ' articles, ' || published
                || ' published, but has ' || coalesce(articles, 0) || ', ' || coalesce(public, 0)
            FROM facets LEFT JOIN (
                SELECT facet, count(*) AS articles, count(*) FILTER (WHERE state = 1) AS public
                FROM listings GROUP BY facet) AS found ON facet = number
            WHERE live <> coalesce(articles, 0) OR published <> coalesce(public, 0) LIMIT 20
            """,
            """
            SELECT 'facet ' || facets.number || ' does not belong to an author'
            FROM facets LEFT JOIN authors ON authors.number = facets.number
            WHERE kind = 2 AND authors.id IS DISTINCT FROM facets.key LIMIT 20
            """,
        ]
    }

    private static func comments(_ dialect: Dialect) -> [String] {
        [
            """
            SELECT 'comment ' || \(dialect.hex("comments.id")) || ' counts '
                || comments.visible_replies || ' visible replies, but has ' || coalesce(found, 0)
            FROM comments LEFT JOIN (
                SELECT parent, count(*) AS found FROM comments
                WHERE parent IS NOT NULL AND state = 0 GROUP BY parent) AS replies
                ON replies.parent = comments.number
            WHERE visible_replies <> coalesce(found, 0) LIMIT 20
            """,
            """
            SELECT 'article ' || coalesce(article, number) || ' counts ' || coalesce(visible, 0)
                || ' visible comments, but has ' || coalesce(found, 0)
            FROM comment_counts FULL JOIN (
                SELECT article AS number, count(*) AS found FROM comments WHERE state = 0
                GROUP BY article) AS counted ON article = number
            WHERE coalesce(visible, 0) <> coalesce(found, 0) LIMIT 20
            """,
            """
            SELECT 'comment ' || number || ' has the wrong transition for '
                || CASE who.audience WHEN 0 THEN 'the public' ELSE 'editors' END
            FROM comments CROSS JOIN (SELECT 0 AS audience UNION ALL SELECT 1) AS who
            LEFT JOIN comment_transitions
                ON comment = number AND comment_transitions.audience = who.audience
            WHERE coalesce(is_departure = 0, FALSE) <> (sight > 1 - who.audience) LIMIT 20
            """,
            """
            SELECT 'comment ' || number || ' has the wrong transition for its writer'
            FROM comments LEFT JOIN comment_transitions
                ON comment = number AND audience = 1 + writer
            WHERE writer IS NOT NULL
                AND coalesce(is_departure = 0, FALSE) <> (sight = 2 OR state = 1)
            LIMIT 20
            """,
            """
            SELECT 'the bookmark of article ' || article || ' by user ' || "user"
                || ' has the wrong transition'
            FROM bookmarks FULL JOIN bookmark_transitions USING ("user", article)
            WHERE (is_departure = 1) IS DISTINCT FROM (bookmarks.revision IS NULL)
                OR bookmarks.revision <> bookmark_transitions.revision LIMIT 20
            """,
        ]
    }
}
