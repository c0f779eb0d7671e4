-- The best connected entities, people, firms and places before concepts. The weight of a connection grows with its passages and documents; a passage
-- that names k entities adds 1 / (k - 1) to each of its connections, so that a list has little weight
-- (Newman 2001, Scientific collaboration networks II). Places and concepts, and connections with them,
-- count half. Those in more than a third of ten documents or more count nothing, nor do courts, agencies
-- and exchanges without a role. A connection by a single passage may be chance and counts only if there is no other.
-- :param limit integer default 20 largest number of entities
WITH heard AS (
    SELECT
        entity_id, kind, row_number() OVER () AS code,
        CASE WHEN kind IN ('location', 'concept') THEN 0.5::DOUBLE ELSE 1 END AS interest
    FROM entities CROSS JOIN (SELECT count(*) AS documents FROM documents)
    WHERE CASE
        WHEN kind IN ('location', 'concept') THEN documents < 10 OR document_count <= documents / 3
        ELSE kind <> 'organization' OR role <> 'court' OR NOT is_public_body(name)
    END
),
link AS (
    SELECT
        source.code AS source, target.code AS target,
        ln(1 + count * passage_share) * (1 + ln(edges.documents)) * weight * source.interest * target.interest AS tells
    FROM edges
    JOIN heard AS source ON source.entity_id = source_id
    JOIN heard AS target ON target.entity_id = target_id
    WHERE source_kind = 'entity' AND type = 'co_occurrence' AND edges.documents > 0
    QUALIFY count > 1 OR max(count) OVER () = 1
),
told AS (
    SELECT code, sum(tells) AS telling
    FROM (SELECT source AS code, tells FROM link UNION ALL SELECT target, tells FROM link)
    GROUP BY code
),
ranked AS (
    -- Rounded, so that the order of summation has no effect.
    SELECT entity_id, kind, round(interest * telling, 9) AS telling
    FROM told JOIN heard USING (code)
    ORDER BY kind = 'concept', telling DESC, entity_id
    LIMIT $limit
)
SELECT entity.*, NULL::INTEGER AS distance
FROM ranked JOIN entities AS entity USING (entity_id)
ORDER BY entity.kind = 'concept', telling DESC, entity_id;
