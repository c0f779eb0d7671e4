-- The people, organisations, places and concepts that a document mentions most; names before concepts.
-- The counts are those of the whole collection; total is the number without the limit.
-- :param document_id text an id of the view documents
-- :param limit integer default 10 largest number of rows; null for all
WITH mentioned AS (
    SELECT entity_id, count(*) AS here
    FROM mentions
    WHERE document_id = $document_id
        AND NOT repeated
        AND kind IN ('person', 'organization', 'location', 'concept')
    GROUP BY entity_id
)
SELECT entity.*, count(*) OVER () AS total
FROM entities AS entity JOIN mentioned USING (entity_id)
ORDER BY entity.kind = 'concept', here DESC, entity_id
LIMIT $limit;
