-- When the access token that replaced another was first used: until then, the refresh token before the current
-- one gets the same tokens again. Those of before this version may be in use, so they count as used.
ALTER TABLE sessions ADD COLUMN tokens_used_at INTEGER;
UPDATE sessions SET tokens_used_at = rotated_at;
ALTER TABLE sessions DROP COLUMN rotated_at;
