-- Documents that are versions of each other: one row for each family, with its pairs of known order.
WITH RECURSIVE
version AS (
    SELECT source_id AS earlier, target_id AS later
    FROM edges
    WHERE source_kind = 'document' AND type = 'version'
),
beside AS (
    SELECT earlier AS here, later AS there FROM version
    UNION
    SELECT later, earlier FROM version
),
-- Every document takes the smallest id of its connected documents.
reached(id, family) USING KEY (id) AS (
    SELECT here, least(here, min(there)) FROM beside GROUP BY here
    UNION
    SELECT there, min(reached.family)
    FROM reached
    JOIN beside ON here = reached.id
    JOIN recurring.reached AS known ON known.id = there
    WHERE reached.family < known.family
    GROUP BY there
)
SELECT
    family,
    list({'earlier': earlier, 'later': later} ORDER BY earlier, later) AS pairs
FROM version JOIN reached ON id = earlier
GROUP BY family
ORDER BY family;
