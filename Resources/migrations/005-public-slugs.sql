-- Since when the public knows an article by this slug (milliseconds since 1970, perhaps a time to come):
-- an article that has been published does not answer under the slugs that it had as a draft.
ALTER TABLE slugs ADD COLUMN public_from INTEGER;
UPDATE slugs SET public_from = (
    SELECT min(max(revisions.time, ifnull(revisions.published_at, 0))) FROM revisions
    LEFT JOIN revisions AS next ON next.row = revisions.row + 1
    WHERE revisions.row > slugs.article << 20 AND revisions.row < (slugs.article + 1) << 20
        AND revisions.slug = slugs.slug AND revisions.state = 1 AND revisions.action <> 2
        AND (next.row IS NULL OR ifnull(revisions.published_at, 0) <= next.time));

-- Keys of tags are without invisible characters from here on. A tag whose key another one has already
-- stays as it is.
CREATE TEMP TABLE invisible (scalar INTEGER PRIMARY KEY);
INSERT INTO invisible (scalar) VALUES
    (0x00AD), (0x034F), (0x061C), (0x115F), (0x1160), (0x17B4), (0x17B5), (0x180B), (0x180C), (0x180D),
    (0x180E), (0x180F), (0x200B), (0x200C), (0x200D), (0x200E), (0x200F), (0x202A), (0x202B), (0x202C),
    (0x202D), (0x202E), (0x2060), (0x2061), (0x2062), (0x2063), (0x2064), (0x2066), (0x2067), (0x2068),
    (0x2069), (0x3164), (0xFE00), (0xFE01), (0xFE02), (0xFE03), (0xFE04), (0xFE05), (0xFE06), (0xFE07),
    (0xFE08), (0xFE09), (0xFE0A), (0xFE0B), (0xFE0C), (0xFE0D), (0xFE0E), (0xFE0F), (0xFEFF), (0xFFA0);
CREATE TEMP TABLE tag_keys AS
    WITH RECURSIVE stripped (number, key, after) AS (
        SELECT number, key, 0 FROM facets
        WHERE kind = 1 AND EXISTS (SELECT 1 FROM invisible WHERE instr(key, char(scalar)) > 0)
        UNION ALL
        SELECT number, replace(key, char(scalar), ''), scalar
        FROM stripped JOIN invisible ON scalar = (SELECT min(scalar) FROM invisible WHERE scalar > after))
    SELECT number, key FROM stripped WHERE after = (SELECT max(scalar) FROM invisible) AND key <> '';
UPDATE OR IGNORE facets SET key = (SELECT key FROM tag_keys WHERE tag_keys.number = facets.number)
    WHERE number IN (SELECT number FROM tag_keys);
DROP TABLE tag_keys;
DROP TABLE invisible;
