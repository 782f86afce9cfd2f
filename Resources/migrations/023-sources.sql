-- Rebuilds tables.
-- Sources are feeds and other Broadsheets whose articles are taken over.

-- Who makes revisions. Kinds: 0 the operator (number 1), 1 an API key, 2 a user, 3 the server itself (one
-- row), 4 a source. The first and the fourth have no ids. Names of keys and users are looked up by id;
-- `name` is that of a source, which may have been removed, or of an actor from an export whose key or
-- account is not in this file.
CREATE TABLE new_actors (
    number INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4),
    id TEXT CHECK ((id IS NULL) = (kind IN (0, 3))),
    name TEXT,
    UNIQUE (kind, id)
) STRICT;
INSERT INTO new_actors SELECT number, kind, id, name FROM actors ORDER BY number;
DROP TABLE actors;
ALTER TABLE new_actors RENAME TO actors;
CREATE UNIQUE INDEX actors_without_ids ON actors (kind) WHERE id IS NULL;

-- What admins set, then the state, which is not part of a revision. `tags` has a name in each line.
-- Kinds: 0 a feed, 1 a Broadsheet, NULL before the first successful poll. Times are milliseconds since
-- 1970. `next_poll_at` of a paused source is NULL, unless it is to be polled once.
--
-- The position: `etag` and `last_modified` are validators of a feed; `token` is where the next page of a
-- Broadsheet's changes begins. `round` is the number of its last snapshot, and `is_listing` says that this
-- one is not complete: at its end, articles of earlier rounds have disappeared from the source. Of a feed,
-- `is_listing` says that all of its pages have to be read.
CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    url TEXT NOT NULL UNIQUE,
    name TEXT,
    publishes INTEGER NOT NULL CHECK (publishes BETWEEN 0 AND 1),
    language TEXT,
    tags TEXT NOT NULL,
    is_paused INTEGER NOT NULL CHECK (is_paused BETWEEN 0 AND 1),
    interval_seconds INTEGER CHECK (interval_seconds > 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0),
    kind INTEGER CHECK (kind BETWEEN 0 AND 1),
    title TEXT,
    moved_to TEXT,
    polled_at INTEGER,
    succeeded_at INTEGER,
    next_poll_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    error TEXT,
    articles INTEGER NOT NULL DEFAULT 0 CHECK (articles >= 0),
    skipped INTEGER NOT NULL DEFAULT 0 CHECK (skipped >= 0),
    skipped_reason TEXT,
    etag TEXT,
    last_modified TEXT,
    token TEXT,
    round INTEGER NOT NULL DEFAULT 0,
    is_listing INTEGER NOT NULL DEFAULT 0 CHECK (is_listing BETWEEN 0 AND 1)
) STRICT;
CREATE INDEX sources_by_poll ON sources (next_poll_at) WHERE next_poll_at IS NOT NULL;

-- What was taken over. `key` is the SHA-256 of what identifies the entry within its source, `digest` that
-- of its content as of `revision` of the article, which the source made: a later revision is somebody's
-- edit. `round` is the last snapshot that had the entry; the highest number, since the source got another URL.
CREATE TABLE source_entries (
    source INTEGER NOT NULL REFERENCES sources (number),
    key BLOB NOT NULL CHECK (length(key) = 32),
    article INTEGER NOT NULL REFERENCES articles (number),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    revision INTEGER NOT NULL,
    round INTEGER NOT NULL,
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_entries_by_article ON source_entries (article);
CREATE INDEX source_entries_by_round ON source_entries (source, round);
