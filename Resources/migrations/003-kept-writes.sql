-- Writes that were sent with a key, for as long as they may be sent again: `scope` stands for caller,
-- method, path and key, `request` for all that was asked. Outcomes: 0 changed, 1 made (of an article:
-- its id), 2 refused (with what was told). The oldest have the smallest numbers.
CREATE TABLE kept_writes (
    number INTEGER PRIMARY KEY,
    scope BLOB NOT NULL UNIQUE CHECK (length(scope) = 32),
    request BLOB NOT NULL CHECK (length(request) = 32),
    time INTEGER NOT NULL,
    outcome INTEGER NOT NULL CHECK (outcome BETWEEN 0 AND 2),
    article BLOB CHECK (length(article) = 16),
    refusal BLOB
) STRICT;
