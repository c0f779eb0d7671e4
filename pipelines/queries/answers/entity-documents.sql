-- The documents that mention an entity, with the number of places in each, most first.
-- :param entity_id text an id of the view entities
WITH place AS (
    SELECT document_id, count(*) AS places FROM mentions WHERE entity_id = $entity_id AND (NOT repeated OR boilerplate) GROUP BY document_id
)
SELECT document_id, name, places
FROM place JOIN documents USING (document_id)
ORDER BY places DESC, lower(name), path, document_id;
