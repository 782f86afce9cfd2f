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
