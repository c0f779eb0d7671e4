-- Walks over the view `edges`. The direction of an edge says what it means, not where one may walk:
-- all three take every edge both ways.
CREATE VIEW this._ways AS
SELECT source_id AS here, target_id AS there, target_kind AS kind, type, weight FROM this.edges
UNION ALL
SELECT target_id, source_id, source_kind, type, weight FROM this.edges WHERE source_id <> target_id;

-- Everything within `depth` steps of an entity, a document or a chunk, the nearest first.
CREATE MACRO this.neighbours(start_id, depth := 1) AS TABLE
WITH RECURSIVE ways AS MATERIALIZED (FROM this._ways),
reached(id, kind, distance) USING KEY (id) AS (
    SELECT here, 'start', 0 FROM ways WHERE here = start_id GROUP BY here
    UNION
    SELECT there, min(way.kind), min(reached.distance + 1)
    FROM reached
    JOIN ways AS way ON here = reached.id
    WHERE reached.distance < depth AND there NOT IN (SELECT id FROM recurring.reached)
    GROUP BY there
)
SELECT id, kind, distance FROM reached WHERE distance > 0 ORDER BY distance, id;

-- The fewest steps from one to the other, at most `max_steps`; among equally short ways the one that
-- comes over the stronger edge at each step, looking back from the end. No row where there is none.
CREATE MACRO this.shortest_path(from_id, to_id, max_steps := 6) AS TABLE
WITH RECURSIVE ways AS MATERIALIZED (FROM this._ways),
reached(id, distance, previous) USING KEY (id) AS (
    SELECT here, 0, NULL::VARCHAR FROM ways WHERE here = from_id GROUP BY here
    UNION
    SELECT there, min(reached.distance + 1), arg_min(here, (-way.weight, here))
    FROM reached
    JOIN ways AS way ON here = reached.id
    WHERE reached.distance < max_steps
        AND there NOT IN (SELECT id FROM recurring.reached)
        AND NOT EXISTS (FROM recurring.reached AS found WHERE found.id = to_id)
    GROUP BY there
),
walked(step, previous, id) AS (
    SELECT distance, previous, id FROM reached WHERE id = to_id AND distance > 0
    UNION ALL
    SELECT before.distance, before.previous, before.id
    FROM walked JOIN reached AS before ON before.id = walked.previous
    WHERE before.distance > 0
)
SELECT step, walked.previous AS from_id, id AS to_id, type, directed, source_id, target_id, weight, evidence
FROM walked
JOIN this.edges ON (source_id, target_id) IN ((walked.previous, walked.id), (walked.id, walked.previous))
QUALIFY row_number() OVER (PARTITION BY step ORDER BY weight DESC, type, source_id) = 1
ORDER BY step;

-- Which things hang together by edges of these types (all by default): each with the smallest id of
-- its component. A label is the id of a smaller member. In every round a thing takes the label of its
-- label, and both it and its label take smaller labels from neighbours (the hooking of FastSV, Zhang,
-- Azad and Hu 2020), so that a chain of n takes about log n rounds.
CREATE MACRO this.components(types := NULL) AS TABLE
WITH RECURSIVE links AS MATERIALIZED (
    SELECT DISTINCT here, there FROM this._ways WHERE types IS NULL OR list_contains(types, type)
),
labelled(id, component) USING KEY (id) AS (
    SELECT here, least(here, min(there)) FROM links GROUP BY here
    UNION
    SELECT id, min(offered)
    FROM (
        SELECT own.id, own.component, root.component AS offered
        FROM recurring.labelled AS own JOIN recurring.labelled AS root ON root.id = own.component
        UNION ALL
        SELECT own.id, own.component, near.component
        FROM links
        JOIN recurring.labelled AS own ON own.id = here
        JOIN recurring.labelled AS near ON near.id = there
        UNION ALL
        SELECT root.id, root.component, near.component
        FROM links
        JOIN recurring.labelled AS own ON own.id = here
        JOIN recurring.labelled AS root ON root.id = own.component
        JOIN recurring.labelled AS near ON near.id = there
    )
    WHERE offered < component
    GROUP BY id
)
SELECT id, component FROM labelled ORDER BY component, id;
