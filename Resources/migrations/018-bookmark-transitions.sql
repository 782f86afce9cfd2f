-- The last transition of each bookmark, as in `transitions`, for its user: what a user bookmarks does not
-- change what the user sees of articles. A bookmark that was removed keeps its departure.
CREATE TABLE bookmark_transitions (
    user INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    article INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_departure INTEGER NOT NULL CHECK (is_departure BETWEEN 0 AND 1),
    PRIMARY KEY (user, sequence),
    UNIQUE (user, article)
) STRICT, WITHOUT ROWID;
INSERT INTO bookmark_transitions
    SELECT audience - 1, sequence, subject, revision, is_departure FROM transitions WHERE kind = 3
    ORDER BY audience, sequence;
DELETE FROM transitions WHERE kind = 3;
