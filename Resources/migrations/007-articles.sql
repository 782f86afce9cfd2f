-- Articles, their history, and all that finds them. Times are milliseconds since 1970; ids are the
-- 16 bytes of a UUIDv7, which order as their text does. References to an article are held against it
-- at the commit.

-- What an article can be found under. Kinds: 0 every article, 1 a tag (key: case-folded; name: as
-- first written), 2 an author (key: the id), 3 a language, 4 the name of a source. The counters say
-- how many articles live under it, and how many of these have the state `published`, due or not.
CREATE TABLE facets (
    number INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4),
    key ANY NOT NULL,
    name TEXT,
    live INTEGER NOT NULL DEFAULT 0 CHECK (live >= 0),
    published INTEGER NOT NULL DEFAULT 0 CHECK (published BETWEEN 0 AND live),
    UNIQUE (kind, key)
) STRICT;
INSERT INTO facets (number, kind, key) VALUES (1, 0, '');

CREATE TABLE authors (
    number INTEGER PRIMARY KEY REFERENCES facets (number),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name TEXT NOT NULL,
    about TEXT NOT NULL,
    website TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0)
) STRICT;
CREATE INDEX authors_by_name ON authors (name, created_at, id);

-- The state of an article; its content is that of the revision with its number. States: 0 draft,
-- 1 published, 2 archived, 3 deleted. `publication` is when it was or will be published, else when
-- it was created. A restoration may announce an article before its first revision: deleted, at 0.
CREATE TABLE articles (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
    revision INTEGER NOT NULL CHECK (revision BETWEEN 0 AND 1048575),
    publication INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX articles_by_creation ON articles (state, created_at, id, publication);
CREATE INDEX articles_by_update ON articles (state, updated_at, id, publication);

-- Revisions that leave the text alone share it.
CREATE TABLE bodies (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

-- Whole values, never changed. The history of an article stands together: `row` is its number
-- shifted by 20 bits, and the revision's. Authors and tags are JSON arrays of facet numbers.
-- Actions: 0 created, 1 updated, 2 deleted, 3 restored.
CREATE TABLE revisions (
    row INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (number) DEFERRABLE INITIALLY DEFERRED,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1048575),
    action INTEGER NOT NULL CHECK (action BETWEEN 0 AND 3),
    editor TEXT,
    time INTEGER NOT NULL,
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
    published_at INTEGER,
    updated_at INTEGER NOT NULL,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    language TEXT NOT NULL,
    authors TEXT NOT NULL,
    tags TEXT NOT NULL,
    hero_url TEXT,
    hero_text TEXT,
    source_name TEXT,
    source_url TEXT,
    word_count INTEGER NOT NULL,
    reading_minutes INTEGER NOT NULL,
    body INTEGER NOT NULL REFERENCES bodies (number),
    body_bytes INTEGER NOT NULL,
    CHECK (row = (article << 20 | number))
) STRICT;

-- The articles under each facet in the order of publication; the deleted stand under none.
CREATE TABLE listings (
    facet INTEGER NOT NULL,
    state INTEGER NOT NULL,
    publication INTEGER NOT NULL,
    id BLOB NOT NULL,
    article INTEGER NOT NULL,
    PRIMARY KEY (facet, state, publication, id)
) STRICT, WITHOUT ROWID;

-- Every slug that an article has or had: taken for good, also by the deleted.
CREATE TABLE slugs (
    slug TEXT PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (number) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX slugs_by_article ON slugs (article);

-- Where an article was imported from, and what the last import found and left.
CREATE TABLE imports (
    path TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    article INTEGER NOT NULL UNIQUE REFERENCES articles (number) DEFERRABLE INITIALLY DEFERRED,
    revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Committed changes in the order of their commits, without gaps. Kinds: 0 article, 1 author.
CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),
    subject INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_deletion INTEGER NOT NULL CHECK (is_deletion BETWEEN 0 AND 1)
) STRICT;

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL CHECK (length(value) = 32)
) STRICT;

-- What texts become for readers, and by which renderer; no HTML where that refused the text. All of
-- it can be made again: it is made when a text is written, or else when it is first asked for.
CREATE TABLE renderings (
    body INTEGER PRIMARY KEY REFERENCES bodies (number),
    renderer TEXT NOT NULL,
    html TEXT
) STRICT;

-- Which history this file holds (one row, 16 random bytes). A backup has none: whoever opens it as its
-- owner begins another history, whose revisions and changes are not those of the file it was made of.
CREATE TABLE epoch (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    value BLOB NOT NULL CHECK (length(value) = 16)
) STRICT;
INSERT INTO epoch (number, value) VALUES (1, randomblob(16));

-- Since when the public knows an article by this slug (milliseconds since 1970, perhaps a time to come):
-- an article that has been published does not answer under the slugs that it had as a draft.
ALTER TABLE slugs ADD COLUMN public_from INTEGER;

-- Writes that were sent with a key, for as long as they may be sent again, with what their writers were
-- answered. `scope` stands for principal, method, path and key, `request` for all that was asked. Outcomes:
-- 0 done, 1 done and something new was made, 2 rejected. `item` is what was answered but for the body of
-- an article, which stands in `bodies`.
CREATE TABLE kept_writes (
    number INTEGER PRIMARY KEY,
    scope BLOB NOT NULL UNIQUE CHECK (length(scope) = 32),
    request BLOB NOT NULL CHECK (length(request) = 32),
    principal TEXT NOT NULL,
    time INTEGER NOT NULL,
    outcome INTEGER NOT NULL CHECK (outcome BETWEEN 0 AND 2),
    item BLOB NOT NULL,
    body INTEGER REFERENCES bodies (number)
) STRICT;
CREATE INDEX kept_writes_by_time ON kept_writes (time);
CREATE INDEX kept_rejections ON kept_writes (principal, number) WHERE outcome = 2;

-- How many are kept of each principal.
CREATE TABLE kept_counts (
    principal TEXT PRIMARY KEY,
    done INTEGER NOT NULL CHECK (done >= 0),
    rejected INTEGER NOT NULL CHECK (rejected >= 0)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER kept_write_inserted AFTER INSERT ON kept_writes BEGIN
    INSERT INTO kept_counts (principal, done, rejected)
    VALUES (new.principal, new.outcome < 2, new.outcome = 2)
    ON CONFLICT (principal) DO UPDATE
    SET done = done + excluded.done, rejected = rejected + excluded.rejected;
END;
CREATE TRIGGER kept_write_deleted AFTER DELETE ON kept_writes BEGIN
    UPDATE kept_counts SET done = done - (old.outcome < 2), rejected = rejected - (old.outcome = 2)
    WHERE principal = old.principal;
    DELETE FROM kept_counts WHERE principal = old.principal AND done = 0 AND rejected = 0;
END;

-- Who makes revisions. Kinds: 0 the operator (number 1, without an id), 1 an API key, 2 a user.
-- Names are looked up by id; `name` is that of an actor from an export whose key or account is not
-- in this file.
CREATE TABLE actors (
    number INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
    id TEXT CHECK ((id IS NULL) = (kind = 0)),
    name TEXT,
    UNIQUE (kind, id)
) STRICT;
INSERT INTO actors (number, kind) VALUES (1, 0);

-- A revision has an actor or, if it was made before there were any, perhaps the name of an editor.
ALTER TABLE revisions ADD COLUMN actor INTEGER REFERENCES actors (number);
