-- Number of mentions of some entities; copies of a mail count as one.
-- :param entity_ids list ids of the view entities, as '["person:ann-lee", "organization:acme"]'
WITH copy AS (
    SELECT source_id AS document_id FROM edges WHERE source_kind = 'document' AND type = 'copy'
)
SELECT
    entity_id,
    count(*) FILTER (NOT repeated)::INTEGER AS mention_count,
    count(DISTINCT chunk_id)::INTEGER AS chunk_count,
    count(DISTINCT document_id)::INTEGER AS document_count
FROM mentions ANTI JOIN copy USING (document_id)
WHERE entity_id IN $entity_ids AND NOT boilerplate
GROUP BY entity_id
ORDER BY entity_id;
