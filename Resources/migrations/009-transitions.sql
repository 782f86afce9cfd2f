-- The last transition of each thing for each audience: the change by which it last appeared to the
-- audience, changed while visible to it, or departed. Audiences: 0 the public, 1 editors; further ones
-- are users. A change of something that an audience sees neither before nor after has no row. The
-- revision of a departure is the first one that the audience does not see.
CREATE TABLE transitions (
    audience INTEGER NOT NULL CHECK (audience >= 0),
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),
    subject INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_departure INTEGER NOT NULL CHECK (is_departure BETWEEN 0 AND 1),
    PRIMARY KEY (audience, sequence),
    UNIQUE (audience, kind, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_subject ON changes (kind, subject, sequence);

-- Articles, by the states of their revisions. Columns beside max() are from the row with the maximum.
WITH steps AS (
    SELECT sequence, subject, changes.revision AS revision,
        after.action <> 2 AS is_there,
        after.action <> 2 AND after.state = 1 AS is_public,
        ifnull(before.action <> 2, 0) AS was_there,
        ifnull(before.action <> 2 AND before.state = 1, 0) AS was_public
    FROM changes
    JOIN revisions AS after ON after.row = (subject << 20 | changes.revision)
    LEFT JOIN revisions AS before ON before.row = after.row - 1
    WHERE kind = 0)
INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
    SELECT 0, max(sequence), 0, subject, revision, NOT is_public
    FROM steps WHERE is_public OR was_public GROUP BY subject
    UNION ALL
    SELECT 1, max(sequence), 0, subject, revision, NOT is_there
    FROM steps WHERE is_there OR was_there GROUP BY subject;

-- Authors, at their own last change. It does not matter when an author became public, or that former
-- public authors have no departure: no client has a position from before this migration.
INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
    SELECT 1, min(sequence), 1, number, authors.revision, 0
    FROM authors JOIN changes
        ON kind = 1 AND subject = number AND changes.revision = authors.revision
    GROUP BY number
    UNION ALL
    SELECT 0, max(sequence), 1, number, authors.revision, 0
    FROM authors JOIN changes ON kind = 1 AND subject = number
    WHERE EXISTS (SELECT 1 FROM listings WHERE facet = number AND state = 1)
    GROUP BY number;
