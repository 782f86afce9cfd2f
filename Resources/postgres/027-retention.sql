-- What a file is recognized by when it is imported from another folder (migrations/025-import-names.sql).
ALTER TABLE imports ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE imports ADD COLUMN title text COLLATE "C" NOT NULL DEFAULT '';
UPDATE imports SET
    name = coalesce(
        substring(path from '[^/]*/_?index\.[^/]*$'), substring(path from '[^/]*$')),
    title = coalesce((SELECT revisions.title FROM revisions
        WHERE row = (imports.article << 20 | imports.revision)), '');
CREATE INDEX imports_by_name ON imports (name, title);

-- What proves a history (migrations/026-marks.sql).
ALTER TABLE changes ADD COLUMN mark bigint;
ALTER TABLE search_state ADD COLUMN seen bigint;
ALTER TABLE search_state ADD COLUMN mark bigint;
-- The mark of the last commit; and the server that has made it, by which a database is recognized that was
-- restored, or lost commits with a server that failed: pg_control_system() and the timeline, if they are known.
ALTER TABLE commit_clock ADD COLUMN mark bigint;
UPDATE commit_clock SET mark = (SELECT m.mark FROM commit_marks AS m WHERE m.number = commits);
ALTER TABLE commit_clock ADD COLUMN system bigint;
ALTER TABLE commit_clock ADD COLUMN timeline bigint;

-- Revisions may be removed, and then the bodies that no other has: without these, each removal would search
-- all revisions and stored writes for references.
CREATE INDEX revisions_by_body ON revisions (body);
CREATE INDEX kept_writes_by_body ON kept_writes (body) WHERE body IS NOT NULL;

-- Articles of which the index of the search may still have what was purged, and the last change before that.
CREATE TABLE search_purges (
    article bytea PRIMARY KEY CHECK (length(article) = 16),
    sequence bigint NOT NULL
);

-- What goes of old history (migrations/028-retention.sql).
CREATE TABLE floors (
    audience bigint PRIMARY KEY CHECK (audience >= 0),
    sequence bigint NOT NULL,
    mark bigint
);
CREATE TABLE retention (
    number bigint PRIMARY KEY CHECK (number = 1),
    dropped bigint NOT NULL CHECK (dropped >= 0),
    renderings bigint NOT NULL CHECK (renderings >= 0)
);
INSERT INTO retention (number, dropped, renderings)
    SELECT 1, 0, coalesce(max(body), 0) FROM renderings;
CREATE INDEX revisions_by_actor ON revisions (actor);
CREATE INDEX comments_by_article ON comments (article);
CREATE INDEX bookmarks_by_article ON bookmarks (article);
CREATE INDEX bookmark_transitions_by_article ON bookmark_transitions (article);
