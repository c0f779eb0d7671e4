-- The entities whose connections tell most. A connection tells more the more passages and documents it
-- stands in; a passage that names k things gives each of its connections 1 / (k - 1), so that a list
-- makes nobody well connected (Newman 2001, Scientific collaboration networks II). Concepts, and
-- connections with them, count half.
-- :param limit integer default 20 at most so many
WITH edge AS MATERIALIZED (
    SELECT row_number() OVER () AS number, source_id, target_id, weight, count, evidence
    FROM edges
    WHERE source_kind = 'entity' AND type = 'co_occurrence'
),
named AS (
    SELECT
        chunk_id,
        dense_rank() OVER (ORDER BY document_id) AS document,
        1 / greatest(count(DISTINCT entity_id) - 1, 1) AS share
    FROM mentions
    WHERE NOT repeated AND kind IN ('person', 'organization', 'location', 'concept')
    GROUP BY chunk_id, document_id
),
shown AS (
    SELECT number, sum(share) / sum(passages) AS share, count(*) AS documents
    FROM (
        SELECT number, document, sum(share) AS share, count(*) AS passages
        FROM (SELECT number, unnest(evidence) AS chunk_id FROM edge) JOIN named USING (chunk_id)
        GROUP BY number, document
    )
    GROUP BY number
),
link AS (
    SELECT
        source_id, target_id,
        ln(1 + count * share) * (1 + ln(documents)) * weight
            * CASE WHEN starts_with(source_id, 'concept:') THEN 0.5 ELSE 1 END
            * CASE WHEN starts_with(target_id, 'concept:') THEN 0.5 ELSE 1 END AS tells
    FROM edge JOIN shown USING (number)
),
best AS (
    SELECT
        entity_id,
        -- Rounded, so that the order of summing does not show.
        round(sum(tells) * CASE WHEN starts_with(entity_id, 'concept:') THEN 0.5 ELSE 1 END, 9) AS telling
    FROM (SELECT unnest([source_id, target_id]) AS entity_id, tells FROM link)
    GROUP BY entity_id
    ORDER BY telling DESC, entity_id
    LIMIT $limit
)
SELECT entity.*, NULL::INTEGER AS distance
FROM best JOIN entities AS entity USING (entity_id)
ORDER BY telling DESC, entity_id;
