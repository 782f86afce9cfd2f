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

-- The last transition of each thing for each audience: the change by which it last appeared to the
-- audience, changed while visible to it, or departed. Audiences: 0 the public, 1 editors; further ones
-- are users. A change of something that an audience sees neither before nor after has no row. The
-- revision of a departure is the first one that the audience does not see.
CREATE TABLE transitions (
    audience INTEGER NOT NULL CHECK (audience >= 0),
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),
    subject INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_departure INTEGER NOT NULL CHECK (is_departure BETWEEN 0 AND 1),
    PRIMARY KEY (audience, sequence),
    UNIQUE (audience, kind, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_subject ON changes (kind, subject, sequence);

-- Articles, by the states of their revisions. Columns beside max() are from the row with the maximum.
WITH steps AS (
    SELECT sequence, subject, changes.revision AS revision,
        after.action <> 2 AS is_there,
        after.action <> 2 AND after.state = 1 AS is_public,
        ifnull(before.action <> 2, 0) AS was_there,
        ifnull(before.action <> 2 AND before.state = 1, 0) AS was_public
    FROM changes
    JOIN revisions AS after ON after.row = (subject << 20 | changes.revision)
    LEFT JOIN revisions AS before ON before.row = after.row - 1
    WHERE kind = 0)
INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
    SELECT 0, max(sequence), 0, subject, revision, NOT is_public
    FROM steps WHERE is_public OR was_public GROUP BY subject
    UNION ALL
    SELECT 1, max(sequence), 0, subject, revision, NOT is_there
    FROM steps WHERE is_there OR was_there GROUP BY subject;

-- Authors, at their own last change. It does not matter when an author became public, or that former
-- public authors have no departure: no client has a position from before this migration.
INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
    SELECT 1, min(sequence), 1, number, authors.revision, 0
    FROM authors JOIN changes
        ON kind = 1 AND subject = number AND changes.revision = authors.revision
    GROUP BY number
    UNION ALL
    SELECT 0, max(sequence), 1, number, authors.revision, 0
    FROM authors JOIN changes ON kind = 1 AND subject = number
    WHERE EXISTS (SELECT 1 FROM listings WHERE facet = number AND state = 1)
    GROUP BY number;

-- How far the receiver of each webhook has followed the public's changes. The key is the SHA-256 of its
-- URL, which may contain secrets. `token` is where the next batch begins; `is_reset` says that changes
-- were skipped before it, which the receiver does not know yet. `failing_since` is the time of the first
-- failure since the last delivery, in milliseconds since 1970.
CREATE TABLE webhooks (
    url BLOB PRIMARY KEY CHECK (length(url) = 32),
    token TEXT NOT NULL CHECK (length(token) BETWEEN 1 AND 500),
    failing_since INTEGER,
    is_reset INTEGER NOT NULL CHECK (is_reset BETWEEN 0 AND 1)
) STRICT, WITHOUT ROWID;

-- Users, their sessions, and invitations to become one. They are not part of the changes. Times are
-- milliseconds since 1970; digests are SHA-256.

-- `name_key` is the folded form of the name. `password_hash` contains its parameters; NULL if there is no
-- password. `access_epoch` is raised when the role or the password changes, and when the account is
-- disabled or enabled.
CREATE TABLE users (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE CHECK (name_key <> ''),
    display_name TEXT NOT NULL,
    role TEXT NOT NULL,
    password_hash TEXT,
    is_disabled INTEGER NOT NULL CHECK (is_disabled BETWEEN 0 AND 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0),
    access_epoch INTEGER NOT NULL CHECK (access_epoch >= 0)
) STRICT;

-- How many there are, without reading them all.
CREATE TABLE user_count (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    value INTEGER NOT NULL CHECK (value >= 0)
) STRICT;
INSERT INTO user_count (number, value) VALUES (1, 0);
CREATE TRIGGER user_inserted AFTER INSERT ON users BEGIN
    UPDATE user_count SET value = value + 1 WHERE number = 1;
END;
CREATE TRIGGER user_deleted AFTER DELETE ON users BEGIN
    UPDATE user_count SET value = value - 1 WHERE number = 1;
END;

-- `previous_digest` is that of the refresh token before the current one, which was replaced at `rotated_at`.
-- A session ends with its refresh token, at `expires_at`.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY CHECK (length(id) = 16),
    user INTEGER NOT NULL REFERENCES users (number),
    access_digest BLOB NOT NULL CHECK (length(access_digest) = 32),
    refresh_digest BLOB NOT NULL CHECK (length(refresh_digest) = 32),
    previous_digest BLOB CHECK (length(previous_digest) = 32),
    rotated_at INTEGER CHECK ((rotated_at IS NULL) = (previous_digest IS NULL)),
    device TEXT NOT NULL CHECK (length(device) <= 100),
    address TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    access_expires_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user, used_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- `created_by` is the id of the principal that created it. One that was used keeps the time, and the user
-- while there is this user.
CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    role TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    used_by INTEGER REFERENCES users (number) CHECK (used_by IS NULL OR used_at IS NOT NULL)
) STRICT;
CREATE INDEX unused_invitations ON invitations (expires_at) WHERE used_at IS NULL;
CREATE INDEX used_invitations ON invitations (used_at) WHERE used_at IS NOT NULL;
CREATE INDEX invitations_by_user ON invitations (used_by);

-- The id of the user that a key acts for; NULL if it acts for none. A key of a deleted user is not valid.
ALTER TABLE keys ADD COLUMN owner BLOB CHECK (owner IS NULL OR length(owner) = 16);

-- Who users are at providers of OpenID Connect, and tokens of providers that were used. They are not part of
-- the changes. Times are milliseconds since 1970; digests are SHA-256.

-- `subject` is the issuer's name for the user.
CREATE TABLE identities (
    issuer TEXT NOT NULL CHECK (issuer <> ''),
    subject TEXT NOT NULL CHECK (subject <> ''),
    user INTEGER NOT NULL REFERENCES users (number),
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user);

-- A token is accepted until `expires_at`, and only once.
CREATE TABLE used_tokens (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_tokens_by_expiry ON used_tokens (expires_at);

-- How many there are, without reading them all.
CREATE TABLE used_token_count (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    value INTEGER NOT NULL CHECK (value >= 0)
) STRICT;
INSERT INTO used_token_count (number, value) VALUES (1, 0);
CREATE TRIGGER used_token_inserted AFTER INSERT ON used_tokens BEGIN
    UPDATE used_token_count SET value = value + 1 WHERE number = 1;
END;
CREATE TRIGGER used_token_deleted AFTER DELETE ON used_tokens BEGIN
    UPDATE used_token_count SET value = value - 1 WHERE number = 1;
END;

-- Comments on articles, and what users bookmark. Times are milliseconds since 1970.

-- Committed changes in the order of their commits, without gaps. Kinds: 0 article, 1 author, 2 comment,
-- 3 bookmark. The subject of a bookmark is its article; whose it is, is not kept.
CREATE TABLE new_changes (
    sequence INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    subject INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_deletion INTEGER NOT NULL CHECK (is_deletion BETWEEN 0 AND 1)
) STRICT;
INSERT INTO new_changes
    SELECT sequence, kind, subject, revision, is_deletion FROM changes ORDER BY sequence;
DROP TABLE changes;
ALTER TABLE new_changes RENAME TO changes;
CREATE INDEX changes_by_subject ON changes (kind, subject, sequence);

-- The last transition of each thing for each audience: the change by which it last appeared to the
-- audience, changed while visible to it, or departed. Audiences: 0 the public, 1 editors, and 1 + the number
-- of a user. A change of something that an audience sees neither before nor after has no row. The revision
-- of a departure is the first one that the audience does not see.
CREATE TABLE new_transitions (
    audience INTEGER NOT NULL CHECK (audience >= 0),
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    subject INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_departure INTEGER NOT NULL CHECK (is_departure BETWEEN 0 AND 1),
    PRIMARY KEY (audience, sequence),
    UNIQUE (audience, kind, subject)
) STRICT, WITHOUT ROWID;
INSERT INTO new_transitions
    SELECT audience, sequence, kind, subject, revision, is_departure FROM transitions
    ORDER BY audience, sequence;
DROP TABLE transitions;
ALTER TABLE new_transitions RENAME TO transitions;

-- Whether readers may comment on the article: 0 open, 1 moderated, 2 closed; NULL for the server's default.
ALTER TABLE revisions ADD COLUMN comments INTEGER CHECK (comments BETWEEN 0 AND 2);

-- States: 0 visible, 1 pending, 2 hidden, 3 deleted, without text. A reply has a parent, which has none.
-- `writer` is NULL once the account is deleted. `visible_replies` counts those with the state 0. `sight` is
-- 2 for what the public's lists have, 1 for what only those of editors have, 0 for what neither has. Rows
-- are never removed: changes refer to them.
CREATE TABLE comments (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    article INTEGER NOT NULL REFERENCES articles (number),
    parent INTEGER REFERENCES comments (number),
    writer INTEGER REFERENCES users (number),
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
    body TEXT NOT NULL CHECK ((body = '') = (state = 3)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0),
    visible_replies INTEGER NOT NULL CHECK (visible_replies >= 0),
    sight INTEGER NOT NULL CHECK (sight = CASE
        WHEN state = 0 OR visible_replies > 0 THEN 2 WHEN state = 3 THEN 0 ELSE 1 END)
) STRICT;
CREATE INDEX comments_for_everyone ON comments (article, created_at, id) WHERE sight = 2;
CREATE INDEX comments_for_editors ON comments (article, created_at, id) WHERE sight > 0;
CREATE INDEX comments_for_writers ON comments (article, writer, created_at, id)
    WHERE state = 1 AND sight = 1;
CREATE INDEX comments_by_time ON comments (created_at, id);
CREATE INDEX comments_by_state ON comments (state, created_at, id);
CREATE INDEX comments_by_writer ON comments (writer, created_at) WHERE writer IS NOT NULL;
-- For the foreign key.
CREATE INDEX comments_by_parent ON comments (parent) WHERE parent IS NOT NULL;

-- How many visible comments an article has, without reading them all.
CREATE TABLE comment_counts (
    article INTEGER PRIMARY KEY REFERENCES articles (number),
    visible INTEGER NOT NULL CHECK (visible >= 0)
) STRICT;

-- The last transition of each comment, as in `transitions`, by article: a busy thread does not delay those
-- who follow articles. The audience of a user has the user's own comments alone.
CREATE TABLE comment_transitions (
    article INTEGER NOT NULL,
    audience INTEGER NOT NULL CHECK (audience >= 0),
    sequence INTEGER NOT NULL,
    comment INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_departure INTEGER NOT NULL CHECK (is_departure BETWEEN 0 AND 1),
    PRIMARY KEY (article, audience, sequence),
    UNIQUE (comment, audience)
) STRICT, WITHOUT ROWID;

-- `position` says how far the user has read, from 0 to 1.
CREATE TABLE bookmarks (
    user INTEGER NOT NULL REFERENCES users (number),
    article INTEGER NOT NULL REFERENCES articles (number),
    position REAL CHECK (position BETWEEN 0 AND 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0),
    PRIMARY KEY (user, article)
) STRICT, WITHOUT ROWID;
CREATE INDEX bookmarks_by_time ON bookmarks (user, created_at, article);

-- Users may own articles: owners see and edit them in any state. `owner` is the id of the current owner;
-- a deleted article keeps it. An article has none if it was written by an editor or imported.
ALTER TABLE articles ADD COLUMN owner BLOB REFERENCES users (id) CHECK (length(owner) = 16);
CREATE INDEX articles_by_owner ON articles (owner, state, publication, id) WHERE owner IS NOT NULL;
CREATE INDEX articles_by_owner_creation ON articles (owner, state, created_at, id, publication)
    WHERE owner IS NOT NULL;
CREATE INDEX articles_by_owner_update ON articles (owner, state, updated_at, id, publication)
    WHERE owner IS NOT NULL;

-- Whose the article was at this revision: perhaps a user who does not exist any more.
ALTER TABLE revisions ADD COLUMN owner BLOB CHECK (length(owner) = 16);

-- How many articles of an owner have a tag or an author (a facet): `live` counts all that are not deleted,
-- `hidden` those of them that are not public. There are no rows with only zeros.
CREATE TABLE owned_facets (
    facet INTEGER NOT NULL REFERENCES facets (number),
    owner BLOB NOT NULL CHECK (length(owner) = 16),
    live INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    PRIMARY KEY (facet, owner)
) STRICT, WITHOUT ROWID;

-- The audience of an owner in `transitions` is the number of the user's row and 1. Its log contains the
-- articles that the user owns or owned, and the authors of these.

-- What comments become for readers, and by which renderer; no HTML where that rejected the text. All of it can
-- be made again: it is made when a comment is written, or else when it is first needed.
ALTER TABLE comments ADD COLUMN renderer TEXT;
ALTER TABLE comments ADD COLUMN html TEXT
    CHECK (html IS NULL OR state <> 3 AND renderer IS NOT NULL);

-- The last transition of each bookmark, as in `transitions`, for its user: what a user bookmarks does not
-- change what the user sees of articles. A bookmark that was removed keeps its departure.
CREATE TABLE bookmark_transitions (
    user INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    article INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_departure INTEGER NOT NULL CHECK (is_departure BETWEEN 0 AND 1),
    PRIMARY KEY (user, sequence),
    UNIQUE (user, article)
) STRICT, WITHOUT ROWID;
INSERT INTO bookmark_transitions
    SELECT audience - 1, sequence, subject, revision, is_departure FROM transitions WHERE kind = 3
    ORDER BY audience, sequence;
DELETE FROM transitions WHERE kind = 3;

-- Users who are being deleted, which may take several commits: 0 if their comments stay, 1 if these are deleted,
-- too.
ALTER TABLE users ADD COLUMN deletion INTEGER CHECK (deletion BETWEEN 0 AND 1);
CREATE INDEX users_by_deletion ON users (deletion) WHERE deletion IS NOT NULL;

-- The text of a comment that a write made or changed: it is not in `item`, so that it can be removed with the
-- comment's.
ALTER TABLE kept_writes ADD COLUMN comment INTEGER REFERENCES comments (number);
ALTER TABLE kept_writes ADD COLUMN comment_text TEXT CHECK (comment_text IS NULL OR comment IS NOT NULL);
CREATE INDEX kept_writes_by_comment ON kept_writes (comment) WHERE comment IS NOT NULL;
CREATE INDEX kept_writes_by_principal ON kept_writes (principal);
CREATE INDEX keys_by_owner ON keys (owner) WHERE owner IS NOT NULL;

-- Lists of a user's comments are in the order of their times and ids.
DROP INDEX comments_by_writer;
CREATE INDEX comments_by_writer ON comments (writer, created_at, id) WHERE writer IS NOT NULL;

-- The index of full-text search: immutable segments of documents, made of blocks of bytes that are read
-- like leaves of a tree. It is derived from the articles, and is not part of the change sequence.

-- How far the index has followed the public's changes, and the version of the tokenizer that made it.
CREATE TABLE search_state (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    version INTEGER NOT NULL,
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    sequence INTEGER NOT NULL,
    base INTEGER NOT NULL
) STRICT;

-- The complete segments. `dead` has one bit for each document: whether it was removed or replaced since.
-- `bytes` is the size of the blocks.
CREATE TABLE search_segments (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 2147483647),
    level INTEGER NOT NULL CHECK (level >= 0),
    bytes INTEGER NOT NULL CHECK (bytes >= 0),
    dead BLOB NOT NULL
) STRICT;

-- The blocks of segments, numbered `segment << 31 | block`. A segment that is not in `search_segments` is
-- being written, or is left over.
CREATE TABLE search_blocks (
    number INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The first key of each block in which a key begins.
CREATE TABLE search_terms (
    segment INTEGER NOT NULL,
    first BLOB NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (segment, first)
) STRICT, WITHOUT ROWID;

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

-- When a deleted article was deleted, by which these are listed; NULL for all others.
ALTER TABLE articles ADD COLUMN deleted_at INTEGER;
UPDATE articles SET deleted_at = (
        SELECT time FROM revisions WHERE row = (articles.number << 20 | articles.revision))
    WHERE state = 3 AND revision > 0;
CREATE INDEX articles_by_deletion ON articles (deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX articles_by_owner_deletion ON articles (owner, deleted_at, id)
    WHERE deleted_at IS NOT NULL;
