-- Users, their sessions, and invitations to become one. They are not part of the changes. Times are
-- milliseconds since 1970; digests are SHA-256.

-- `name_key` is the folded form of the name. `password_hash` contains its parameters; NULL if there is no
-- password. `access_epoch` is raised when the role or the password changes, and when the account is
-- disabled or enabled.
CREATE TABLE users (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE CHECK (name_key <> ''),
    display_name TEXT NOT NULL,
    role TEXT NOT NULL,
    password_hash TEXT,
    is_disabled INTEGER NOT NULL CHECK (is_disabled BETWEEN 0 AND 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0),
    access_epoch INTEGER NOT NULL CHECK (access_epoch >= 0)
) STRICT;

-- How many there are, without reading them all.
CREATE TABLE user_count (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    value INTEGER NOT NULL CHECK (value >= 0)
) STRICT;
INSERT INTO user_count (number, value) VALUES (1, 0);
CREATE TRIGGER user_inserted AFTER INSERT ON users BEGIN
    UPDATE user_count SET value = value + 1 WHERE number = 1;
END;
CREATE TRIGGER user_deleted AFTER DELETE ON users BEGIN
    UPDATE user_count SET value = value - 1 WHERE number = 1;
END;

-- `previous_digest` is that of the refresh token before the current one, which was replaced at `rotated_at`.
-- A session ends with its refresh token, at `expires_at`.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY CHECK (length(id) = 16),
    user INTEGER NOT NULL REFERENCES users (number),
    access_digest BLOB NOT NULL CHECK (length(access_digest) = 32),
    refresh_digest BLOB NOT NULL CHECK (length(refresh_digest) = 32),
    previous_digest BLOB CHECK (length(previous_digest) = 32),
    rotated_at INTEGER CHECK ((rotated_at IS NULL) = (previous_digest IS NULL)),
    device TEXT NOT NULL CHECK (length(device) <= 100),
    address TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    access_expires_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user, used_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- `created_by` is the id of the principal that created it. One that was used keeps the time, and the user
-- while there is this user.
CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    role TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    used_by INTEGER REFERENCES users (number) CHECK (used_by IS NULL OR used_at IS NOT NULL)
) STRICT;
CREATE INDEX unused_invitations ON invitations (expires_at) WHERE used_at IS NULL;
CREATE INDEX used_invitations ON invitations (used_at) WHERE used_at IS NOT NULL;
CREATE INDEX invitations_by_user ON invitations (used_by);
