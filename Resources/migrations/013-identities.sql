-- Who users are at providers of OpenID Connect, and tokens of providers that were used. They are not part of
-- the changes. Times are milliseconds since 1970; digests are SHA-256.

-- `subject` is the issuer's name for the user.
CREATE TABLE identities (
    issuer TEXT NOT NULL CHECK (issuer <> ''),
    subject TEXT NOT NULL CHECK (subject <> ''),
    user INTEGER NOT NULL REFERENCES users (number),
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user);

-- A token is accepted until `expires_at`, and only once.
CREATE TABLE used_tokens (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_tokens_by_expiry ON used_tokens (expires_at);

-- How many there are, without reading them all.
CREATE TABLE used_token_count (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    value INTEGER NOT NULL CHECK (value >= 0)
) STRICT;
INSERT INTO used_token_count (number, value) VALUES (1, 0);
CREATE TRIGGER used_token_inserted AFTER INSERT ON used_tokens BEGIN
    UPDATE used_token_count SET value = value + 1 WHERE number = 1;
END;
CREATE TRIGGER used_token_deleted AFTER DELETE ON used_tokens BEGIN
    UPDATE used_token_count SET value = value - 1 WHERE number = 1;
END;
