-- Citations of a reference, spread over the documents: the most informative place of each comes first, one
-- with a relationship before one that only names it; after these, in reading order, the second best of
-- each document, and so on.
-- :param reference_id text an id of the view references
-- :param limit integer default 20 largest number of rows; null for all
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
place AS (
    SELECT
        *,
        count(*) OVER () AS total,
        count(*) OVER (PARTITION BY document_id) AS in_document,
        row_number() OVER (
            PARTITION BY document_id
            ORDER BY
                (relationship NOT IN ('cites', 'discusses'))::INTEGER + confidence::DOUBLE DESC,
                chunk_index, char_start, char_end
        ) AS turn
    FROM citations JOIN ordered USING (document_id)
    WHERE reference_id = $reference_id AND resolved AND (NOT repeated OR boilerplate)
),
shown AS (
    FROM place
    ORDER BY turn, in_document DESC, position
    LIMIT $limit
)
SELECT chunk_id, char_start, char_end, relationship, confidence, document_id, document_name, total
FROM shown
ORDER BY
    turn > 1,
    CASE WHEN turn > 1 THEN 0 ELSE in_document END DESC,
    position, chunk_index, char_start, char_end;
