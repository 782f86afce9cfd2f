-- The id of the user that a key acts for; NULL if it acts for none. A key of a deleted user is not valid.
ALTER TABLE keys ADD COLUMN owner BLOB CHECK (owner IS NULL OR length(owner) = 16);
