-- Shared entities and references of a document and some others: people, organisations, places and concepts
-- in both, the rarest in the collection first, concepts last; and references in both, the most cited
-- first.
-- :param document_id text an id of the view documents
-- :param other_ids list ids of other documents, as '["...", "..."]'
WITH held AS (
    SELECT document_id, 'shared_entities' AS type, entity_id AS id, count(*) AS places
    FROM mentions
    WHERE (document_id = $document_id OR document_id IN $other_ids)
        AND NOT repeated
        AND kind IN ('person', 'organization', 'location', 'concept')
    GROUP BY ALL
    UNION ALL
    SELECT document_id, 'shared_references', reference_id, count(*)
    FROM citations
    WHERE (document_id = $document_id OR document_id IN $other_ids)
        AND NOT repeated
        AND resolved
        AND type <> 'section'
    GROUP BY ALL
)
SELECT other.document_id, type, id, coalesce(entity.name, reference.name) AS name
FROM held AS own
JOIN held AS other USING (type, id)
LEFT JOIN entities AS entity ON type = 'shared_entities' AND entity_id = id
LEFT JOIN "references" AS reference ON type = 'shared_references' AND reference_id = id
WHERE own.document_id = $document_id AND other.document_id <> $document_id
ORDER BY
    other.document_id, type,
    starts_with(id, 'concept:'),
    entity.document_count,
    least(own.places, other.places) DESC,
    own.places + other.places DESC,
    id;
