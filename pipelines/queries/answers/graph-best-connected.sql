-- The entities whose connections tell most. A connection tells more the more passages and documents it
-- stands in; a passage that names k things gives each of its connections 1 / (k - 1), so that a list
-- makes nobody well connected (Newman 2001, Scientific collaboration networks II). Places and concepts,
-- and connections with them, count half; one in more than a third of ten documents or more tells
-- nothing, nor do courts, agencies and exchanges that have no role.
-- :param limit integer default 20 at most so many
WITH silent AS (
    SELECT entity_id
    FROM entities CROSS JOIN (SELECT count(*) AS documents FROM documents)
    WHERE CASE
        WHEN kind IN ('location', 'concept') THEN documents >= 10 AND document_count > documents / 3
        ELSE kind = 'organization' AND role IS NULL AND is_public_body(name)
    END
),
edge AS MATERIALIZED (
    SELECT
        row_number() OVER () AS number, source_id, target_id, weight, count, evidence,
        CASE WHEN regexp_matches(source_id, '^(location|concept):') THEN 0.5 ELSE 1 END AS source_interest,
        CASE WHEN regexp_matches(target_id, '^(location|concept):') THEN 0.5 ELSE 1 END AS target_interest
    FROM edges
    WHERE source_kind = 'entity'
        AND type = 'co_occurrence'
        AND source_id NOT IN (FROM silent)
        AND target_id NOT IN (FROM silent)
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
        source_id, target_id, source_interest, target_interest,
        ln(1 + count * share) * (1 + ln(documents)) * weight * source_interest * target_interest AS tells
    FROM edge JOIN shown USING (number)
),
best AS (
    SELECT
        unnest([source_id, target_id]) AS entity_id,
        unnest([source_interest, target_interest]) * tells AS telling
    FROM link
),
ranked AS (
    -- Rounded, so that the order of summing does not show.
    SELECT entity_id, round(sum(telling), 9) AS telling
    FROM best
    GROUP BY entity_id
    ORDER BY telling DESC, entity_id
    LIMIT $limit
)
SELECT entity.*, NULL::INTEGER AS distance
FROM ranked JOIN entities AS entity USING (entity_id)
ORDER BY telling DESC, entity_id;
