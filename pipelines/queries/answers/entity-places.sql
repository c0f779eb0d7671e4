-- Mentions of an entity; documents with the most mentions come first. Spread over the documents, the most
-- informative mention of each comes first: one with a role, then the fullest name; after these, in
-- reading order, the second best of each document, and so on.
-- :param entity_id text an id of the view entities
-- :param spread boolean default true spread over the documents; false for reading order
-- :param limit integer default 20 largest number of rows; null for all
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
place AS (
    SELECT
        *,
        count(*) OVER () AS total,
        count(*) OVER (PARTITION BY document_id) AS in_document,
        CASE WHEN $spread THEN row_number() OVER (
            PARTITION BY document_id
            ORDER BY
                (role IS NOT NULL)::INTEGER + least(length(text), 60) / 60 + confidence::DOUBLE DESC,
                chunk_index, char_start, char_end
        ) END AS turn
    FROM mentions JOIN ordered USING (document_id)
    WHERE entity_id = $entity_id AND (NOT repeated OR boilerplate)
),
shown AS (
    FROM place
    ORDER BY turn, in_document DESC, position, chunk_index, char_start, char_end
    LIMIT $limit
)
SELECT chunk_id, char_start, char_end, confidence, found_by, document_id, document_name, in_document, total
FROM shown
ORDER BY
    turn > 1,
    CASE WHEN turn > 1 THEN 0 ELSE in_document END DESC,
    position, chunk_index, char_start, char_end;
