-- The index of full-text search: immutable segments of documents, made of blocks of bytes that are read
-- like leaves of a tree. It is derived from the articles, and is not part of the change sequence.

-- How far the index has followed the public's changes, and the version of the tokenizer that made it.
CREATE TABLE search_state (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    version INTEGER NOT NULL,
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    sequence INTEGER NOT NULL,
    base INTEGER NOT NULL
) STRICT;

-- The complete segments. `dead` has one bit for each document: whether it was removed or replaced since.
-- `bytes` is the size of the blocks.
CREATE TABLE search_segments (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 2147483647),
    level INTEGER NOT NULL CHECK (level >= 0),
    bytes INTEGER NOT NULL CHECK (bytes >= 0),
    dead BLOB NOT NULL
) STRICT;

-- The blocks of segments, numbered `segment << 31 | block`. A segment that is not in `search_segments` is
-- being written, or is left over.
CREATE TABLE search_blocks (
    number INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The first key of each block in which a key begins.
CREATE TABLE search_terms (
    segment INTEGER NOT NULL,
    first BLOB NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (segment, first)
) STRICT, WITHOUT ROWID;
