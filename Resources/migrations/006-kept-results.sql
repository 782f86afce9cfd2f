-- Writes that were sent with a key, for as long as they may be sent again, with what their writers were
-- answered. `scope` stands for principal, method, path and key, `request` for all that was asked. Outcomes:
-- 0 done, 1 done and something new was made, 2 rejected. `item` is what was answered but for the body of
-- an article, which stands in `bodies`. What the table had until now said less, and is given up.
DROP TABLE kept_writes;
CREATE TABLE kept_writes (
    number INTEGER PRIMARY KEY,
    scope BLOB NOT NULL UNIQUE CHECK (length(scope) = 32),
    request BLOB NOT NULL CHECK (length(request) = 32),
    principal TEXT NOT NULL,
    time INTEGER NOT NULL,
    outcome INTEGER NOT NULL CHECK (outcome BETWEEN 0 AND 2),
    item BLOB NOT NULL,
    body INTEGER REFERENCES bodies (number)
) STRICT;
CREATE INDEX kept_writes_by_time ON kept_writes (time);
CREATE INDEX kept_rejections ON kept_writes (principal, number) WHERE outcome = 2;

-- How many are kept of each principal.
CREATE TABLE kept_counts (
    principal TEXT PRIMARY KEY,
    done INTEGER NOT NULL CHECK (done >= 0),
    rejected INTEGER NOT NULL CHECK (rejected >= 0)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER kept_write_inserted AFTER INSERT ON kept_writes BEGIN
    INSERT INTO kept_counts (principal, done, rejected)
    VALUES (new.principal, new.outcome < 2, new.outcome = 2)
    ON CONFLICT (principal) DO UPDATE
    SET done = done + excluded.done, rejected = rejected + excluded.rejected;
END;
CREATE TRIGGER kept_write_deleted AFTER DELETE ON kept_writes BEGIN
    UPDATE kept_counts SET done = done - (old.outcome < 2), rejected = rejected - (old.outcome = 2)
    WHERE principal = old.principal;
    DELETE FROM kept_counts WHERE principal = old.principal AND done = 0 AND rejected = 0;
END;
