-- Lists of a user's comments are in the order of their times and ids.
DROP INDEX comments_by_writer;
CREATE INDEX comments_by_writer ON comments (writer, created_at, id) WHERE writer IS NOT NULL;
