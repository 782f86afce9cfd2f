-- Revisions may be removed, and then the bodies that no other has: without these, each removal would search
-- all revisions and stored writes for references.
CREATE INDEX revisions_by_body ON revisions (body);
CREATE INDEX kept_writes_by_body ON kept_writes (body) WHERE body IS NOT NULL;

-- Articles of which the index of the search may still have what was purged, and the last change before that.
CREATE TABLE search_purges (
    article BLOB PRIMARY KEY CHECK (length(article) = 16),
    sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
