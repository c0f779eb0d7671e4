-- The documents of each type, by name; the largest type first, documents without a type last.
WITH typed AS (
    SELECT *, coalesce(nullif(document_type, ''), 'other') AS type FROM documents
)
SELECT
    type,
    count(*) AS documents,
    list(document_id ORDER BY lower(name), path, document_id) AS document_ids
FROM typed
GROUP BY type
ORDER BY type = 'other', documents DESC, type;
