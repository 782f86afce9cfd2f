-- Rebuilds tables.
-- From here on, an article is public if its state is `published`, whatever the time. A scheduled article
-- has a state of its own until it is published by a revision of the system.
CREATE TEMP TABLE moment AS
    SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now;

-- The state of an article; its content is that of the revision with its number. States: 0 draft,
-- 1 published, 2 archived, 3 deleted, 4 scheduled. `publication` is when it was or will be published, else
-- when it was created. A restoration may announce an article before its first revision: deleted, at 0.
CREATE TABLE new_articles (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
    revision INTEGER NOT NULL CHECK (revision BETWEEN 0 AND 1048575),
    publication INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_articles
    SELECT number, id, CASE WHEN state = 1 AND publication > now THEN 4 ELSE state END, revision,
        publication, created_at, updated_at
    FROM articles CROSS JOIN moment ORDER BY number;
DROP TABLE articles;
ALTER TABLE new_articles RENAME TO articles;
CREATE INDEX articles_by_creation ON articles (state, created_at, id, publication);
CREATE INDEX articles_by_update ON articles (state, updated_at, id, publication);

-- Who makes revisions. Kinds: 0 the operator (number 1), 1 an API key, 2 a user, 3 the server itself (one
-- row). The first and the last have no ids. Names are looked up by id; `name` is that of an actor from an
-- export whose key or account is not in this file.
CREATE TABLE new_actors (
    number INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    id TEXT CHECK ((id IS NULL) = (kind IN (0, 3))),
    name TEXT,
    UNIQUE (kind, id)
) STRICT;
INSERT INTO new_actors SELECT number, kind, id, name FROM actors ORDER BY number;
DROP TABLE actors;
ALTER TABLE new_actors RENAME TO actors;
CREATE UNIQUE INDEX actors_without_ids ON actors (kind) WHERE id IS NULL;
INSERT INTO actors (kind) VALUES (3);

-- Whole values, never changed. The history of an article stands together: `row` is its number
-- shifted by 20 bits, and the revision's. Authors and tags are JSON arrays of facet numbers.
-- Actions: 0 created, 1 updated, 2 deleted, 3 restored. A revision has an actor or, if it was made
-- before there were any, perhaps the name of an editor.
CREATE TABLE new_revisions (
    row INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (number) DEFERRABLE INITIALLY DEFERRED,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1048575),
    action INTEGER NOT NULL CHECK (action BETWEEN 0 AND 3),
    editor TEXT,
    time INTEGER NOT NULL,
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2, 4)),
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
    actor INTEGER REFERENCES actors (number),
    CHECK (row = (article << 20 | number))
) STRICT;
-- A last revision has the state of its article, unless that was deleted. Earlier ones were scheduled if
-- their time was to come, except for one that became public under a slug that the next one left: an export
-- tells by it that readers know this slug.
INSERT INTO new_revisions
    SELECT revisions.row, revisions.article, revisions.number, revisions.action, revisions.editor,
        revisions.time,
        CASE
            WHEN revisions.state <> 1 THEN revisions.state
            WHEN revisions.number = articles.revision AND articles.state <> 3 THEN articles.state
            WHEN revisions.published_at > revisions.time
                AND NOT ifnull(
                    revisions.published_at <= next.time AND revisions.slug <> next.slug, 0) THEN 4
            ELSE 1
        END,
        revisions.published_at, revisions.updated_at, revisions.slug, revisions.title,
        revisions.summary, revisions.language, revisions.authors, revisions.tags,
        revisions.hero_url, revisions.hero_text, revisions.source_name, revisions.source_url,
        revisions.word_count, revisions.reading_minutes, revisions.body, revisions.body_bytes,
        revisions.actor
    FROM revisions
    LEFT JOIN articles ON articles.number = revisions.article
    LEFT JOIN revisions AS next ON next.row = revisions.row + 1
    ORDER BY revisions.row;
DROP TABLE revisions;
ALTER TABLE new_revisions RENAME TO revisions;

UPDATE listings SET state = 4 WHERE state = 1 AND publication > (SELECT now FROM moment);
-- The counter is now the number of public articles.
UPDATE facets SET published = published - (
    SELECT count(*) FROM listings WHERE facet = facets.number AND state = 4) WHERE published > 0;
-- Since when the public knows an article by this slug; NULL if it does not.
UPDATE slugs SET public_from = NULL WHERE public_from > (SELECT now FROM moment);
DROP TABLE moment;
