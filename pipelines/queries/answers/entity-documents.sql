-- The documents that mention an entity, with how many places each has, most first.
-- :param entity_id text an id of the view entities
SELECT document_id, documents.name, count(*) AS places
FROM mentions JOIN documents USING (document_id)
WHERE entity_id = $entity_id AND NOT repeated
GROUP BY document_id, documents.name, path
ORDER BY places DESC, lower(documents.name), path, document_id;
