-- Rebuilds tables.
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
-- of a departure is the first one that the audience does not see. These are of articles and authors.
CREATE TABLE new_transitions (
    audience INTEGER NOT NULL CHECK (audience >= 0),
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),
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
