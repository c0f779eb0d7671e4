-- People, organisations, dates and amounts in some passages of two documents: those of both documents, and
-- those of one only; of each group, the ten most mentioned in these passages.
-- :param document_a text an id of the view documents
-- :param document_b text another id of it
-- :param chunk_ids list ids of the passages, as '["...", "..."]'
WITH mentioned AS (
    SELECT
        entity_id,
        count(*) FILTER (document_id = $document_a) > 0 AND count(*) FILTER (document_id = $document_b) > 0 AS in_both,
        count(*) FILTER (document_id = $document_a AND chunk_id IN $chunk_ids) AS a,
        count(*) FILTER (document_id = $document_b AND chunk_id IN $chunk_ids) AS b
    FROM mentions
    WHERE document_id IN ($document_a, $document_b)
        AND kind IN ('person', 'organization', 'location', 'amount', 'date')
    GROUP BY entity_id
)
SELECT
    CASE WHEN in_both THEN 'both' WHEN a > 0 THEN 'a' ELSE 'b' END AS held_by,
    entity.*,
    row_number() OVER (PARTITION BY held_by ORDER BY least(a, b) DESC, a + b DESC, entity_id) AS rank
FROM mentioned JOIN entities AS entity USING (entity_id)
WHERE a + b > 0
QUALIFY rank <= 10
ORDER BY held_by, rank;
