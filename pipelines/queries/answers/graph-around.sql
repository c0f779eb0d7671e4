-- The entities with the strongest chains of connections from one in the middle, the nearest first. A
-- chain is as strong as the product of its weights; places and concepts count half. But for the one in
-- the middle, a place or concept in more than a third of ten documents or more, and courts, agencies and
-- exchanges without a role, are left out.
-- :param entity_id text an id of the view entities
-- :param depth integer default 2 longest chain, in steps
-- :param limit integer default 20 at most so many, the one in the middle among them
WITH RECURSIVE
telling AS (
    SELECT entity_id, CASE WHEN kind IN ('location', 'concept') THEN 0.5 ELSE 1 END AS interest
    FROM entities CROSS JOIN (SELECT count(*) AS documents FROM documents)
    WHERE entity_id = $entity_id OR CASE
        WHEN kind IN ('location', 'concept') THEN documents < 10 OR document_count <= documents / 3
        WHEN kind = 'organization' THEN role IS NOT NULL OR NOT is_public_body(name)
        ELSE kind = 'person'
    END
),
edge AS (
    SELECT source_id, target_id, weight::DOUBLE AS weight
    FROM edges
    WHERE source_kind = 'entity'
        AND type = 'co_occurrence'
        AND source_id IN (SELECT entity_id FROM telling)
        AND target_id IN (SELECT entity_id FROM telling)
),
way AS MATERIALIZED (
    SELECT source_id AS here, target_id AS there, weight FROM edge
    UNION ALL
    SELECT target_id, source_id, weight FROM edge
),
reached(entity_id, strength, distance, step) USING KEY (entity_id) AS (
    SELECT $entity_id, 1::DOUBLE, 0, 0
    UNION
    SELECT
        there,
        max(reached.strength * weight),
        coalesce(min(known.distance), min(reached.step) + 1),
        min(reached.step) + 1
    FROM reached
    JOIN way ON here = reached.entity_id
    LEFT JOIN recurring.reached AS known ON known.entity_id = there
    WHERE reached.step < $depth AND reached.strength * weight > coalesce(known.strength, 0)
    GROUP BY there
),
kept AS (
    SELECT entity_id, distance, strength * coalesce(interest, 1) AS strength
    FROM reached LEFT JOIN telling USING (entity_id)
    ORDER BY strength DESC, distance, entity_id
    LIMIT $limit
)
SELECT entity.*, distance
FROM kept JOIN entities AS entity USING (entity_id)
ORDER BY distance, strength DESC, entity_id;
