import ArticleStore

extension SQL {
    // MARK: Transactions

    static let begin: StaticString = "BEGIN"
    static let beginImmediate: StaticString = "BEGIN IMMEDIATE"
    static let commit: StaticString = "COMMIT"
    static let rollback: StaticString = "ROLLBACK"
    static let savepoint: StaticString = "SAVEPOINT step"
    static let release: StaticString = "RELEASE step"
    static let rollbackToSavepoint: StaticString = "ROLLBACK TO step"
    static let itemSavepoint: StaticString = "SAVEPOINT item"
    static let releaseItem: StaticString = "RELEASE item"
    static let rollbackToItem: StaticString = "ROLLBACK TO item"

    // MARK: Articles

    static let insertArticle: StaticString = """
        INSERT INTO articles (id, state, revision, publication, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (id) DO NOTHING
        """
    static let setArticle: StaticString = """
        UPDATE articles SET state = ?2, revision = ?3, publication = ?4, created_at = ?5,
            updated_at = ?6
        WHERE number = ?1
        """
    static let insertBody: StaticString = "INSERT INTO bodies (text) VALUES (?1)"
    static let keepRendering: StaticString = """
        INSERT INTO renderings (body, renderer, html) VALUES (?1, ?2, ?3)
        ON CONFLICT (body) DO UPDATE SET renderer = excluded.renderer, html = excluded.html
        WHERE renderer <> excluded.renderer
        """
    static let insertRevision: StaticString = """
        INSERT INTO revisions (
            row, article, number, action, editor, time, state, published_at, updated_at, slug,
            title, summary, language, authors, tags, hero_url, hero_text, source_name, source_url,
            word_count, reading_minutes, body, body_bytes, actor)
        VALUES (
            ?1 << 20 | ?2, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
            ?17, ?18, ?19, ?20, ?21, ?22, ?23)
        """
    static let insertActor: StaticString = """
        INSERT INTO actors (kind, id, name) VALUES (?1, ?2, CASE
            WHEN ?1 = 1 AND EXISTS (SELECT 1 FROM keys WHERE keys.id = ?2) THEN NULL ELSE ?3 END)
        """
    static let insertSlug: StaticString = """
        INSERT INTO slugs (slug, article) VALUES (?1, ?2) ON CONFLICT (slug) DO NOTHING
        """
    static let publishSlug: StaticString = """
        UPDATE slugs SET public_from = ?2
        WHERE slug = ?1 AND (public_from IS NULL OR public_from > ?2)
        """
    static let withdrawSlug: StaticString = """
        UPDATE slugs SET public_from = NULL WHERE slug = ?1 AND public_from > ?2
        """
    static let insertChange: StaticString = """
        INSERT INTO changes (kind, subject, revision, is_deletion) VALUES (?1, ?2, ?3, ?4)
        """

    // MARK: Listings

    static let list: StaticString = """
        INSERT INTO listings (facet, state, publication, id, article) VALUES (?1, ?2, ?3, ?4, ?5)
        """
    static let unlist: StaticString = """
        DELETE FROM listings WHERE facet = ?1 AND state = ?2 AND publication = ?3 AND id = ?4
        """
    static let insertFacet: StaticString = """
        INSERT INTO facets (kind, key, name) VALUES (?1, ?2, ?3)
        """
    static let countFacet: StaticString = """
        UPDATE facets SET live = live + ?2, published = published + ?3 WHERE number = ?1
        """

    // MARK: Authors

    static let insertAuthor: StaticString = """
        INSERT INTO authors (
            number, id, name, about, website, created_at, updated_at, revision)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    /// With the parameters of `insertAuthor`; the id and the time of creation stay as they are.
    static let updateAuthor: StaticString = """
        UPDATE authors SET name = ?3, about = ?4, website = ?5, updated_at = ?7, revision = ?8
        WHERE number = ?1
        """

    // MARK: Idempotent writes

    static let insertIdempotencyRecord: StaticString = """
        INSERT INTO kept_writes (scope, request, principal, time, outcome, item, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """
    static let removeIdempotencyRecord: StaticString = "DELETE FROM kept_writes WHERE scope = ?1"
    static let removeOldWrites: StaticString = """
        DELETE FROM kept_writes WHERE number IN (
            SELECT number FROM kept_writes WHERE time <= ?1 ORDER BY time LIMIT 4)
        """
    static let redateWrites: StaticString = """
        UPDATE kept_writes SET time = ?1 WHERE number IN (
            SELECT number FROM kept_writes WHERE time > ?2 ORDER BY time DESC LIMIT 4)
        """
    static let removeOldestRejection: StaticString = """
        DELETE FROM kept_writes WHERE number = (
            SELECT min(number) FROM kept_writes WHERE principal = ?1 AND outcome = 2)
        """
    static let keptCounts: StaticString = """
        SELECT done, rejected FROM kept_counts WHERE principal = ?1
        """
    static let bodyOfRevision: StaticString = """
        SELECT body FROM articles JOIN revisions ON row = (articles.number << 20 | ?2)
        WHERE articles.id = ?1
        """

    // MARK: Other tables

    static let setImportMark: StaticString = """
        INSERT INTO imports (path, digest, article, revision) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, revision = excluded.revision
        """
    static let insertKey: StaticString = """
        INSERT INTO keys (id, digest, name, role, created_at, expires_at, revoked_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """
    static let revokeKey: StaticString = "UPDATE keys SET revoked_at = ?2 WHERE id = ?1"
    static let takeEpoch: StaticString = """
        INSERT INTO epoch (number, value) SELECT 1, randomblob(16)
        WHERE NOT EXISTS (SELECT 1 FROM epoch)
        """
    static let renewEpoch: StaticString = "UPDATE epoch SET value = randomblob(16)"
    static let dropEpoch: StaticString = "DELETE FROM epoch"
    static let insertSecret: StaticString = "INSERT INTO secrets (name, value) VALUES (?1, ?2)"
}
