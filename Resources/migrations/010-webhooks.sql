-- How far the receiver of each webhook has followed the public's changes. The key is the SHA-256 of its
-- URL, which may contain secrets. `token` is where the next batch begins; `is_reset` says that changes
-- were skipped before it, which the receiver does not know yet. `failing_since` is the time of the first
-- failure since the last delivery, in milliseconds since 1970.
CREATE TABLE webhooks (
    url BLOB PRIMARY KEY CHECK (length(url) = 32),
    token TEXT NOT NULL CHECK (length(token) BETWEEN 1 AND 500),
    failing_since INTEGER,
    is_reset INTEGER NOT NULL CHECK (is_reset BETWEEN 0 AND 1)
) STRICT, WITHOUT ROWID;
