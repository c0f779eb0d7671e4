-- The most frequent references to other documents, each with its most informative place: of the five
-- documents with the most citations, the place that best states their relationship.
-- :param limit integer default 40 largest number of references
WITH chosen AS (
    SELECT
        *,
        count(*) OVER () AS total,
        row_number() OVER (ORDER BY citation_count DESC, document_count DESC, name, reference_id) AS rank
    FROM "references"
    WHERE citation_count > 0 AND type NOT IN ('exhibit', 'section')
    ORDER BY rank
    LIMIT $limit
),
ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
best AS (
    -- The most informative place of each document.
    SELECT
        reference_id, chunk_id, char_start, char_end, relationship, confidence, position,
        (relationship NOT IN ('cites', 'discusses'))::INTEGER + confidence::DOUBLE AS tells,
        count(*) OVER (PARTITION BY reference_id, document_id) AS in_document
    FROM citations JOIN ordered USING (document_id)
    WHERE resolved AND NOT repeated AND reference_id IN (SELECT reference_id FROM chosen)
    QUALIFY row_number() OVER (
        PARTITION BY reference_id, document_id ORDER BY tells DESC, chunk_index, char_start, char_end
    ) = 1
),
five AS (
    FROM best
    QUALIFY row_number() OVER (PARTITION BY reference_id ORDER BY in_document DESC, position) <= 5
),
place AS (
    FROM five
    QUALIFY row_number() OVER (PARTITION BY reference_id ORDER BY tells DESC, in_document DESC, position) = 1
)
SELECT chosen.* EXCLUDE (rank), chunk_id, char_start, char_end, relationship, confidence
FROM chosen JOIN place USING (reference_id)
ORDER BY rank;
