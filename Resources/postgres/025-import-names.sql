-- What a file is recognized by when it is imported from another folder (migrations/025-import-names.sql).
ALTER TABLE imports ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE imports ADD COLUMN title text COLLATE "C" NOT NULL DEFAULT '';
UPDATE imports SET
    name = coalesce(
        substring(path from '[^/]*/_?index\.[^/]*$'), substring(path from '[^/]*$')),
    title = coalesce((SELECT revisions.title FROM revisions
        WHERE row = (imports.article << 20 | imports.revision)), '');
CREATE INDEX imports_by_name ON imports (name, title);
