-- Evidence of the relations of a document in passages: mentions of shared names, or references to one of
-- the two documents; the first such place in each of the first two passages of each relation.
-- :param document_id text an id of the view documents
-- :param other_ids list ids of other documents, as '["...", "..."]'
WITH named AS (
    SELECT document_id, chunk_id, 'shared_entities' AS type, entity_id AS id, char_start, char_end
    FROM mentions
    WHERE (document_id = $document_id OR document_id IN $other_ids)
        AND NOT repeated
        AND kind IN ('person', 'organization', 'location', 'concept')
    UNION ALL
    SELECT document_id, chunk_id, 'shared_references', reference_id, char_start, char_end
    FROM citations
    WHERE (document_id = $document_id OR document_id IN $other_ids)
        AND NOT repeated
        AND resolved
        AND type <> 'section'
),
shared AS (
    SELECT DISTINCT other.document_id AS other_id, type, id
    FROM named AS own JOIN named AS other USING (type, id)
    WHERE own.document_id = $document_id AND other.document_id <> $document_id
),
shown AS (
    SELECT
        CASE source_id WHEN $document_id THEN target_id ELSE source_id END AS other_id,
        type, source_id, target_id, unnest(evidence[:2]) AS chunk_id
    FROM edges
    WHERE source_kind = 'document'
        AND (source_id = $document_id AND target_id IN $other_ids
             OR target_id = $document_id AND source_id IN $other_ids)
),
place AS (
    SELECT type, source_id, target_id, chunk_id, char_start, char_end
    FROM shown JOIN named USING (type, chunk_id) JOIN shared USING (other_id, type, id)
    UNION ALL
    SELECT shown.type, source_id, target_id, chunk_id, char_start, char_end
    FROM shown JOIN citations AS cited USING (chunk_id)
    WHERE shown.type NOT IN ('shared_entities', 'shared_references', 'semantic')
        AND target_document_id IN (source_id, target_id)
        AND NOT repeated
        AND resolved
)
SELECT * EXCLUDE (first), first.char_start, first.char_end
FROM (
    SELECT type, source_id, target_id, chunk_id, min({'char_start': char_start, 'char_end': char_end}) AS first
    FROM place
    GROUP BY ALL
)
ORDER BY type, source_id, target_id, chunk_id;
