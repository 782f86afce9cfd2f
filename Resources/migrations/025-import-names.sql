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
