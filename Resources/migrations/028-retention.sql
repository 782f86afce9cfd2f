-- What goes of old history, if an operator limits it.

-- By audience: the number and the mark of the last change in its sight that was removed, with the deleted
-- article that it was of. A client that has not followed so far does not learn of it, and begins again.
CREATE TABLE floors (
    audience INTEGER PRIMARY KEY CHECK (audience >= 0),
    sequence INTEGER NOT NULL,
    mark INTEGER
) STRICT;

-- `dropped` is the number of the last change that was removed for any audience. Bodies up to `renderings` may
-- have renderings that no article needs, from before these were removed with each edit.
CREATE TABLE retention (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    dropped INTEGER NOT NULL CHECK (dropped >= 0),
    renderings INTEGER NOT NULL CHECK (renderings >= 0)
) STRICT;
INSERT INTO retention (number, dropped, renderings)
    SELECT 1, 0, coalesce(max(body), 0) FROM renderings;

-- What is removed is found by these, and what still refers to it.
CREATE INDEX revisions_by_actor ON revisions (actor);
CREATE INDEX comments_by_article ON comments (article);
CREATE INDEX bookmarks_by_article ON bookmarks (article);
CREATE INDEX bookmark_transitions_by_article ON bookmark_transitions (article);
