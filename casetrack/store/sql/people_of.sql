-- The people most mentioned in each document (ids $documents): at most $most per document.
WITH mentioned AS (
    SELECT document_id, entity_id, any_value(name) AS name, count(*) AS places
    FROM mentions
    WHERE document_id IN $documents AND kind = 'person' AND NOT repeated
    GROUP BY document_id, entity_id
)
SELECT document_id, entity_id, name
FROM mentioned
QUALIFY row_number() OVER (PARTITION BY document_id ORDER BY places DESC, name, entity_id) <= $most
ORDER BY document_id, places DESC, name, entity_id;
