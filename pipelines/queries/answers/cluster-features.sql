-- Features shared by documents: people, organisations and places, or references to other documents. One
-- row per feature and document, with the number of its places, the first of them, and its weight: the
-- places times the rarity; three times if the text states its role, such as a party; a third for a
-- location. length is that of all features of the document, so that the similarity of two documents is
-- that of their shared features. Omitted are features of a single document or of more than nine
-- documents in ten, locations in more than a tenth, and courts, agencies and exchanges without a role.
-- Of the rest, the 1,024 most widespread.
-- :param by text default 'entity' entity or reference
WITH named AS (
    -- An exhibit that only one document numbers has the random id of that document after "@".
    SELECT entity_id AS id, name, entity_id AS plain_id, '' AS path FROM entities
    UNION ALL
    SELECT reference_id, "references".name, split_part(reference_id, '@', 1), coalesce(path, '')
    FROM "references" LEFT JOIN documents ON document_id = split_part(reference_id, '@', 2)
),
target AS (
    -- References to the same document of the collection are merged into the most cited one.
    SELECT
        reference_id,
        CASE WHEN target_document_id IS NULL THEN reference_id ELSE first_value(reference_id) OVER (
            PARTITION BY target_document_id ORDER BY citation_count DESC, plain_id, path
        ) END AS id
    FROM "references" JOIN named ON named.id = reference_id
),
public AS (
    SELECT entity_id FROM entities WHERE kind = 'organization' AND is_public_body(name)
),
place AS (
    SELECT
        entity_id AS id, entity_id AS own_id, document_id, chunk_id, chunk_index, char_start, char_end,
        kind = 'location' AS is_place,
        role IS NOT NULL AND role <> 'court' AS has_role,
        found_by IS NOT DISTINCT FROM 'defined' AS is_defined
    FROM mentions
    WHERE $by = 'entity' AND NOT repeated AND kind IN ('person', 'organization', 'location')
    UNION ALL
    SELECT id, reference_id, document_id, chunk_id, chunk_index, char_start, char_end, false, false, false
    FROM citations JOIN target USING (reference_id)
    WHERE $by = 'reference'
        AND NOT repeated
        AND resolved
        AND citations.type IN ('document', 'report', 'standard', 'regulation', 'rule', 'constitution', 'case', 'exhibit', 'link')
),
held AS (
    SELECT
        id, document_id, is_place,
        count(*) AS places,
        CASE WHEN is_place THEN 1 / 3 WHEN bool_or(has_role OR is_defined) THEN 3 ELSE 1 END AS standing,
        arg_min({'chunk_id': chunk_id, 'char_start': char_start, 'char_end': char_end},
                {'at': chunk_index, 'start': char_start, 'end': char_end}) FILTER (own_id = id) AS first
    FROM place
    GROUP BY id, document_id, is_place
    HAVING id NOT IN (FROM public) OR bool_or(has_role)
),
counted AS (
    SELECT held.*, documents, (SELECT count(*) FROM documents) AS total
    FROM held JOIN (SELECT id, count(*) AS documents FROM held GROUP BY id) USING (id)
),
weighed AS (
    SELECT *, ln(1 + places) * ln((1 + total) / (1 + documents)) * standing AS weight
    FROM counted
),
long AS (
    SELECT document_id, sqrt(round(sum(weight ** 2), 6)) AS length FROM weighed GROUP BY document_id
),
spread AS (
    SELECT id
    FROM weighed LEFT JOIN named USING (id)
    WHERE documents > 1 AND documents <= greatest(2, (CASE WHEN is_place THEN 0.1 ELSE 0.9 END) * total)
    GROUP BY id, documents, plain_id, path
    ORDER BY documents DESC, plain_id, path
    LIMIT 1024
)
SELECT id, named.name, documents, document_id, places, standing, weight, length, unnest(first)
FROM spread JOIN weighed USING (id) JOIN long USING (document_id) LEFT JOIN named USING (id)
    JOIN documents AS document USING (document_id)
ORDER BY documents DESC, plain_id, named.path, document.path;
