-- The documents of each type, by name; the largest type first, documents without a type last. A paper of a
-- court without a general type has its legal one.
WITH typed AS (
    SELECT
        *,
        coalesce(nullif(nullif(document_type, 'other'), ''), nullif(legal_type, 'other'), legal_detail, 'other') AS type
    FROM documents
)
SELECT
    type,
    count(*) AS documents,
    list(document_id ORDER BY lower(name), path, document_id) AS document_ids
FROM typed
GROUP BY type
ORDER BY type = 'other', documents DESC, type;
