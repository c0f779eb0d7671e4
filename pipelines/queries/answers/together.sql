-- The passages that mention at least two of some entities: the first six places of each entity in each
-- such passage, in reading order. A passage that only repeats the end of the one before is left out.
-- :param entity_ids list ids of the view entities, as '["person:ann-lee", "organization:acme"]'
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
place AS (
    SELECT
        *,
        min(repeated) OVER (PARTITION BY chunk_id) AS only_repeats,
        min(entity_id) OVER (PARTITION BY chunk_id) <> max(entity_id) OVER (PARTITION BY chunk_id) AS several,
        row_number() OVER (PARTITION BY chunk_id, entity_id ORDER BY char_start, char_end) AS turn
    FROM mentions JOIN ordered USING (document_id)
    WHERE entity_id IN $entity_ids
)
SELECT chunk_id, entity_id, name, char_start, char_end
FROM place
WHERE several AND NOT only_repeats AND turn <= 6
ORDER BY position, chunk_index, char_start, char_end;
