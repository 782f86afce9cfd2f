-- Users who are being deleted, which may take several commits: 0 if their comments stay, 1 if these are deleted,
-- too.
ALTER TABLE users ADD COLUMN deletion INTEGER CHECK (deletion BETWEEN 0 AND 1);
CREATE INDEX users_by_deletion ON users (deletion) WHERE deletion IS NOT NULL;
