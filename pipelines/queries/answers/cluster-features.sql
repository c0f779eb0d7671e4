-- What documents share: people, organisations and places, or what they refer to outside themselves. One
-- row for each document that holds one, with how many places it has there and the first of them. Left
-- out is what one document alone holds, or more than nine of ten; of the rest, the 1,024 most widespread.
-- :param by text default 'entity' entity or reference
WITH target AS (
    -- References to the same document of the collection are one: the most cited of them.
    SELECT
        reference_id,
        CASE WHEN target_document_id IS NULL THEN reference_id ELSE first_value(reference_id) OVER (
            PARTITION BY target_document_id ORDER BY citation_count DESC, reference_id
        ) END AS id
    FROM "references"
),
place AS (
    SELECT entity_id AS id, entity_id AS own_id, document_id, chunk_id, chunk_index, char_start, char_end
    FROM mentions
    WHERE $by = 'entity' AND NOT repeated AND kind IN ('person', 'organization', 'location')
    UNION ALL
    SELECT id, reference_id, document_id, chunk_id, chunk_index, char_start, char_end
    FROM citations JOIN target USING (reference_id)
    WHERE $by = 'reference'
        AND NOT repeated
        AND resolved
        AND citations.type IN ('document', 'report', 'standard', 'regulation', 'case', 'exhibit', 'link')
),
held AS (
    SELECT
        id, document_id, count(*) AS places,
        arg_min({'chunk_id': chunk_id, 'char_start': char_start, 'char_end': char_end},
                {'at': chunk_index, 'start': char_start, 'end': char_end}) FILTER (own_id = id) AS first
    FROM place
    GROUP BY id, document_id
),
spread AS (
    SELECT id, count(*) AS documents
    FROM held
    GROUP BY id
    HAVING documents > 1 AND documents <= greatest(2, 0.9 * (SELECT count(*) FROM documents))
    ORDER BY documents DESC, id
    LIMIT 1024
),
named AS (
    SELECT entity_id AS id, name FROM entities UNION ALL SELECT reference_id, name FROM "references"
)
SELECT id, named.name, documents, document_id, places, unnest(first)
FROM spread JOIN held USING (id) LEFT JOIN named USING (id)
ORDER BY documents DESC, id, document_id;
