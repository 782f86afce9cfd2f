-- What texts become for readers, and by which renderer; no HTML where that refused the text. All of
-- it can be made again: it is made when a text is written, or else when it is first asked for.
CREATE TABLE renderings (
    body INTEGER PRIMARY KEY REFERENCES bodies (number),
    renderer TEXT NOT NULL,
    html TEXT
) STRICT;
