-- When the access token that replaced another was first used (migrations/028-token-use.sql).
ALTER TABLE sessions ADD COLUMN tokens_used_at bigint;
UPDATE sessions SET tokens_used_at = rotated_at;
ALTER TABLE sessions DROP COLUMN rotated_at;
