-- The documents of each type, by name; the largest type first, documents without a type last. The type is the
-- user's, else that of a court's paper, else the general one, as in lists of documents.
WITH typed AS (
    SELECT
        *,
        CASE
            WHEN document_type <> '' AND document_type_evidence IS NULL THEN document_type
            ELSE coalesce(nullif(legal_type, 'other'), legal_detail, nullif(document_type, ''), 'other')
        END AS type
    FROM documents
)
SELECT
    type,
    count(*) AS documents,
    list(document_id ORDER BY lower(name), path, document_id) AS document_ids
FROM typed
GROUP BY type
ORDER BY type = 'other', documents DESC, type;
