-- When a deleted article was deleted (migrations/024-deleted-articles.sql).
ALTER TABLE articles ADD COLUMN deleted_at bigint;
UPDATE articles SET deleted_at = (
        SELECT time FROM revisions WHERE row = (articles.number << 20 | articles.revision))
    WHERE state = 3 AND revision > 0;
CREATE INDEX articles_by_deletion ON articles (deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX articles_by_owner_deletion ON articles (owner, deleted_at, id)
    WHERE deleted_at IS NOT NULL;
