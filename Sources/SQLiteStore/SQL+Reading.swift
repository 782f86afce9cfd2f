import ArticleStore

/// All SQL statements of the store, grouped by table.
enum SQL {
    // MARK: Articles. The first four statements return the columns of `StoredArticle`.

    static let articleByNumber: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE articles.number = ?1
        """
    static let articleByID: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE articles.id = ?1
        """
    static let articleBySlug: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, revisions.*
        FROM slugs JOIN articles ON articles.number = slugs.article
        JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE slugs.slug = ?1
        """
    static let articleAtRevision: StaticString = """
        SELECT articles.id, articles.state, articles.revision, articles.created_at, revisions.*
        FROM articles JOIN revisions ON row = (articles.number << 20 | ?2)
        WHERE articles.id = ?1
        """
    static let body: StaticString = "SELECT text FROM bodies WHERE number = ?1"
    static let articleNumber: StaticString = "SELECT number, revision FROM articles WHERE id = ?1"
    static let articleIDByNumber: StaticString = "SELECT id FROM articles WHERE number = ?1"
    static let articleNumbers: StaticString = "SELECT number, id FROM articles ORDER BY id"

    static let history: StaticString = """
        SELECT number, action, title, state, time, editor, actor FROM revisions
        WHERE row > (?1 << 20) AND row < (?1 << 20 | ?2) ORDER BY row DESC LIMIT ?3
        """
    static let actorNumber: StaticString = "SELECT number FROM actors WHERE kind = ?1 AND id = ?2"
    static let actorByNumber: StaticString = """
        SELECT actors.kind, actors.id, ifnull(keys.name, actors.name) FROM actors
        LEFT JOIN keys ON actors.kind = 1 AND keys.id = actors.id WHERE actors.number = ?1
        """

    static let rendering: StaticString = """
        SELECT renderer, html FROM articles
        JOIN revisions ON row = (articles.number << 20 | ?2)
        JOIN renderings ON renderings.body = revisions.body
        WHERE articles.id = ?1 AND renderer = ?3
        """

    // MARK: Orders of articles: sort key, id, number, publication; ?1 is the facet, ?2 the state.

    static let byPublication: StaticString = """
        SELECT publication, id, article, publication FROM listings
        WHERE facet = ?1 AND state = ?2
            AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
        ORDER BY publication, id
        """
    static let byPublicationDescending: StaticString = """
        SELECT publication, id, article, publication FROM listings
        WHERE facet = ?1 AND state = ?2
            AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
        ORDER BY publication DESC, id DESC
        """
    static let byCreation: StaticString = """
        SELECT created_at, id, number, publication FROM articles
        WHERE state = ?2 AND (created_at, id) >= (?3, ?4) AND (created_at, id) < (?5, ?6)
        ORDER BY created_at, id
        """
    static let byCreationDescending: StaticString = """
        SELECT created_at, id, number, publication FROM articles
        WHERE state = ?2 AND (created_at, id) >= (?3, ?4) AND (created_at, id) < (?5, ?6)
        ORDER BY created_at DESC, id DESC
        """
    static let byUpdate: StaticString = """
        SELECT updated_at, id, number, publication FROM articles
        WHERE state = ?2 AND (updated_at, id) >= (?3, ?4) AND (updated_at, id) < (?5, ?6)
        ORDER BY updated_at, id
        """
    static let byUpdateDescending: StaticString = """
        SELECT updated_at, id, number, publication FROM articles
        WHERE state = ?2 AND (updated_at, id) >= (?3, ?4) AND (updated_at, id) < (?5, ?6)
        ORDER BY updated_at DESC, id DESC
        """
    static let isListed: StaticString = """
        SELECT 1 FROM listings WHERE facet = ?1 AND state = ?2 AND publication = ?3 AND id = ?4
        """

    // MARK: Facets

    static let facet: StaticString = """
        SELECT number, live, published FROM facets WHERE kind = ?1 AND key = ?2
        """
    static let tagByNumber: StaticString = "SELECT key, name FROM facets WHERE number = ?1"
    static let tagsAfter: StaticString = """
        SELECT number, key, name, live, published FROM facets
        WHERE kind = 1 AND key > ?1 ORDER BY key
        """
    static let scheduledCount: StaticString = """
        SELECT count(*) FROM listings WHERE facet = ?1 AND state = 1 AND publication > ?2
        """
    static let nextPublication: StaticString = """
        SELECT publication FROM listings WHERE facet = 1 AND state = 1 AND publication > ?1
        ORDER BY publication LIMIT 1
        """
    static let liveCount: StaticString = "SELECT live FROM facets WHERE number = 1"
    static let hasPublic: StaticString = """
        SELECT 1 FROM listings WHERE facet = ?1 AND state = 1 AND publication <= ?2 LIMIT 1
        """

    // MARK: Authors

    static let authorReference: StaticString = """
        SELECT id, name, updated_at FROM authors WHERE number = ?1
        """
    static let authorIDByNumber: StaticString = "SELECT id FROM authors WHERE number = ?1"
    static let author: StaticString = """
        SELECT number, id, name, about, website, created_at, updated_at, revision
        FROM authors WHERE id = ?1
        """
    static let authorsAfter: StaticString = """
        SELECT number, id, name, about, website, created_at, updated_at, revision
        FROM authors WHERE id > ?1 ORDER BY id
        """
    static let oldestAuthorNamed: StaticString = """
        SELECT number FROM authors WHERE name = ?1 ORDER BY created_at, id LIMIT 1
        """

    // MARK: Other tables

    static let slugOwner: StaticString = "SELECT article FROM slugs WHERE slug = ?1"
    static let isPublicSlug: StaticString = """
        SELECT 1 FROM slugs WHERE slug = ?1 AND public_from <= ?2
        """
    static let slugsOfArticle: StaticString = """
        SELECT slug FROM slugs WHERE article = ?1 ORDER BY slug
        """
    static let importMark: StaticString = """
        SELECT article, digest, revision FROM imports WHERE path = ?1
        """
    static let importMarkOfArticle: StaticString = """
        SELECT path, digest, revision FROM imports WHERE article = ?1
        """
    static let lastSequence: StaticString = "SELECT ifnull(max(sequence), 0) FROM changes"
    static let changesAfter: StaticString = """
        SELECT sequence, kind, subject, revision, is_deletion, kind = 1 OR EXISTS (
            SELECT 1 FROM revisions WHERE state <> 0
            AND row IN (subject << 20 | changes.revision, subject << 20 | changes.revision - 1))
        FROM changes WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """
    static let keys: StaticString = """
        SELECT id, digest, name, role, created_at, expires_at, revoked_at FROM keys
        ORDER BY created_at, id
        """
    static let key: StaticString = """
        SELECT id, digest, name, role, created_at, expires_at, revoked_at FROM keys WHERE id = ?1
        """
    static let liveKeyCount: StaticString = """
        SELECT count(*) FROM keys
        WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)
        """
    static let epoch: StaticString = "SELECT value FROM epoch"
    static let idempotencyRecord: StaticString = """
        SELECT time, request, outcome, item, text FROM kept_writes
        LEFT JOIN bodies ON bodies.number = kept_writes.body WHERE scope = ?1
        """
    static let dataVersion: StaticString = "PRAGMA data_version"
    static let secret: StaticString = "SELECT value FROM secrets WHERE name = ?1"
}
