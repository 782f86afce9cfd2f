-- What a file is recognized by when it is imported from another folder: the end of its path, which is its
-- name, with its folder if that is called like others (`index.md`), and its title at the last import.
ALTER TABLE imports ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE imports ADD COLUMN title TEXT NOT NULL DEFAULT '';
UPDATE imports SET
    name = substr(path, length(rtrim(path, replace(path, '/', ''))) + 1),
    title = coalesce((SELECT revisions.title FROM revisions
        WHERE row = (imports.article << 20 | imports.revision)), '');
UPDATE imports SET name = substr(path, 1 + length(rtrim(
        rtrim(substr(path, 1, length(path) - length(name)), '/'), replace(path, '/', ''))))
    WHERE substr(name, 1, 6) = 'index.' OR substr(name, 1, 7) = '_index.';
CREATE INDEX imports_by_name ON imports (name, title);

-- A random number for each commit, in each of its changes: it proves the history that a position in the
-- changes is from. A database that was set back gives the numbers of lost changes to other ones, but not
-- their marks. Changes from before this version have none.
ALTER TABLE changes ADD COLUMN mark INTEGER;
ALTER TABLE search_state ADD COLUMN seen INTEGER;
ALTER TABLE search_state ADD COLUMN mark INTEGER;

-- Revisions may be removed, and then the bodies that no other has: without these, each removal would search
-- all revisions and stored writes for references.
CREATE INDEX revisions_by_body ON revisions (body);
CREATE INDEX kept_writes_by_body ON kept_writes (body) WHERE body IS NOT NULL;

-- Articles of which the index of the search may still have what was purged, and the last change before that.
CREATE TABLE search_purges (
    article BLOB PRIMARY KEY CHECK (length(article) = 16),
    sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
