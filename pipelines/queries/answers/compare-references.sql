-- References in both of two documents, the most cited first.
-- :param document_a text an id of the view documents
-- :param document_b text another id of it
SELECT *
FROM "references"
WHERE type <> 'section' AND reference_id IN (
    SELECT reference_id
    FROM citations
    WHERE document_id IN ($document_a, $document_b) AND resolved AND NOT repeated
    GROUP BY reference_id
    HAVING count(DISTINCT document_id) = 2
)
ORDER BY citation_count DESC, split_part(reference_id, '@', 1),
    (SELECT path FROM documents WHERE document_id = split_part(reference_id, '@', 2))
LIMIT 10;
