-- The entities with the strongest chains of connections from a central one, the nearest first. The
-- strength of a chain is the product of its weights; places and concepts count half. Omitted are, except
-- for the central one, places and concepts in more than a third of ten documents or more, and courts,
-- agencies and exchanges without a role.
-- :param entity_id text an id of the view entities
-- :param depth integer default 2 longest chain, in steps
-- :param limit integer default 20 largest number of entities, including the central one
WITH RECURSIVE
telling AS MATERIALIZED (
    SELECT
        entity_id, row_number() OVER () AS code,
        CASE WHEN kind IN ('location', 'concept') THEN 0.5 ELSE 1 END AS interest
    FROM entities CROSS JOIN (SELECT count(*) AS documents FROM documents)
    WHERE entity_id = $entity_id OR CASE
        WHEN kind IN ('location', 'concept') THEN documents < 10 OR document_count <= documents / 3
        WHEN kind = 'organization' THEN role <> 'court' OR NOT is_public_body(name)
        ELSE kind = 'person'
    END
),
edge AS MATERIALIZED (
    SELECT source.code AS source, target.code AS target, weight::DOUBLE AS weight
    FROM edges
    JOIN telling AS source ON source.entity_id = source_id
    JOIN telling AS target ON target.entity_id = target_id
    WHERE source_kind = 'entity' AND type = 'co_occurrence'
),
way AS MATERIALIZED (
    SELECT source AS here, target AS there, weight FROM edge
    UNION ALL
    SELECT target, source, weight FROM edge
),
reached(code, strength, distance, step) USING KEY (code) AS (
    SELECT code, 1::DOUBLE, 0, 0 FROM telling WHERE entity_id = $entity_id
    UNION
    SELECT
        there,
        max(reached.strength * weight),
        coalesce(min(known.distance), min(reached.step) + 1),
        min(reached.step) + 1
    FROM reached
    JOIN way ON here = reached.code
    LEFT JOIN recurring.reached AS known ON known.code = there
    WHERE reached.step < $depth AND reached.strength * weight > coalesce(known.strength, 0)
    GROUP BY there
),
kept AS (
    SELECT entity_id, distance, strength * interest AS strength
    FROM reached JOIN telling USING (code)
    ORDER BY strength DESC, distance, entity_id
    LIMIT $limit
)
SELECT entity.*, distance
FROM kept JOIN entities AS entity USING (entity_id)
ORDER BY distance, strength DESC, entity_id;
