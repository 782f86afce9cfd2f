-- What comments become for readers, and by which renderer; no HTML where that rejected the text. All of it can
-- be made again: it is made when a comment is written, or else when it is first needed.
ALTER TABLE comments ADD COLUMN renderer TEXT;
ALTER TABLE comments ADD COLUMN html TEXT
    CHECK (html IS NULL OR state <> 3 AND renderer IS NOT NULL);
