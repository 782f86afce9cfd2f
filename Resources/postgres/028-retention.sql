-- What goes of old history (migrations/028-retention.sql).
CREATE TABLE floors (
    audience bigint PRIMARY KEY CHECK (audience >= 0),
    sequence bigint NOT NULL,
    mark bigint
);
CREATE TABLE retention (
    number bigint PRIMARY KEY CHECK (number = 1),
    dropped bigint NOT NULL CHECK (dropped >= 0),
    renderings bigint NOT NULL CHECK (renderings >= 0)
);
INSERT INTO retention (number, dropped, renderings)
    SELECT 1, 0, coalesce(max(body), 0) FROM renderings;
CREATE INDEX revisions_by_actor ON revisions (actor);
CREATE INDEX comments_by_article ON comments (article);
CREATE INDEX bookmarks_by_article ON bookmarks (article);
CREATE INDEX bookmark_transitions_by_article ON bookmark_transitions (article);
