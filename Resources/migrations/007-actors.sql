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
