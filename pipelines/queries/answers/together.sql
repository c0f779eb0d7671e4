-- The passages that mention at least two of some entities, with all their places, in reading order. The
-- people in the head of a mail count for all its passages, so a later passage also has the places of the
-- head, as those of another chunk. A passage that only repeats the end of the one before is omitted, and
-- so is a copy of another mail.
-- :param entity_ids list ids of the view entities, as '["person:ann-lee", "organization:acme"]'
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
mentioned AS (
    SELECT *
    FROM mentions JOIN ordered USING (document_id)
    WHERE entity_id IN $entity_ids
),
passage AS (
    SELECT document_id, chunk_id AS passage_id, chunk_index AS passage_index
    FROM mentioned
    GROUP BY ALL
    HAVING NOT bool_and(repeated)
),
place AS (
    SELECT mentioned.*, chunk_id AS passage_id, chunk_index AS passage_index FROM mentioned
    UNION ALL
    SELECT head.*, passage_id, passage_index
    FROM mentioned AS head JOIN passage USING (document_id)
    WHERE head.chunk_index = 0 AND passage_index > 0 AND head.role IN ('sender', 'recipient', 'copied in')
)
SELECT passage_id, chunk_id, entity_id, name, char_start, char_end
FROM place SEMI JOIN passage USING (passage_id)
QUALIFY min(entity_id) OVER (PARTITION BY passage_id) <> max(entity_id) OVER (PARTITION BY passage_id)
    AND (chunk_id = passage_id OR NOT bool_or(chunk_id = passage_id) OVER (PARTITION BY passage_id, entity_id))
ORDER BY position, passage_index, chunk_index, char_start, char_end;
