-- The text of a comment that a write made or changed: it is not in `item`, so that it can be removed with the
-- comment's.
ALTER TABLE kept_writes ADD COLUMN comment INTEGER REFERENCES comments (number);
ALTER TABLE kept_writes ADD COLUMN comment_text TEXT CHECK (comment_text IS NULL OR comment IS NOT NULL);
CREATE INDEX kept_writes_by_comment ON kept_writes (comment) WHERE comment IS NOT NULL;
CREATE INDEX kept_writes_by_principal ON kept_writes (principal);
CREATE INDEX keys_by_owner ON keys (owner) WHERE owner IS NOT NULL;
