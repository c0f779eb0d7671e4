-- The passages that mention all of some entities: $entity_ids, different ones.
SELECT chunk_id, document_id
FROM mentions
WHERE entity_id IN $entity_ids
GROUP BY ALL
HAVING count(DISTINCT entity_id) = len($entity_ids);
