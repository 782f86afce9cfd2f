-- Which history this file holds (one row, 16 random bytes). A backup has none: whoever opens it as its
-- owner begins another history, whose revisions and changes are not those of the file it was made of.
CREATE TABLE epoch (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    value BLOB NOT NULL CHECK (length(value) = 16)
) STRICT;
INSERT INTO epoch (number, value) VALUES (1, randomblob(16));
