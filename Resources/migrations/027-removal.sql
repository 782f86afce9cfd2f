-- Revisions may be removed, and then the bodies that no other has: without these, each removal would search
-- all revisions and stored writes for references.
CREATE INDEX revisions_by_body ON revisions (body);
CREATE INDEX kept_writes_by_body ON kept_writes (body) WHERE body IS NOT NULL;

-- There is a row while the index of the search may still have what was purged: the last change before that.
CREATE TABLE search_purge (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    sequence INTEGER NOT NULL
) STRICT;
