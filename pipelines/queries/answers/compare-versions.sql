-- The earlier of two documents that are versions of each other; no row if they are not.
-- :param document_a text an id of the view documents
-- :param document_b text another id of it
SELECT source_id AS earlier, target_id AS later
FROM edges
WHERE source_kind = 'document'
    AND type = 'version'
    AND source_id IN ($document_a, $document_b)
    AND target_id IN ($document_a, $document_b)
ORDER BY source_id
LIMIT 1;
