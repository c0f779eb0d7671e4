-- Walks over the view `edges`. All three functions follow every edge in both directions, for any type of
-- edge. `_nodes_this` (id, place) orders nodes by names, paths and positions; place breaks ties, because
-- ids of documents and chunks are random.
CREATE VIEW this._ways AS
WITH placed AS (
    SELECT source.place AS source, target.place AS target, source_kind, target_kind, type, weight
    FROM this.edges
    JOIN _nodes_this AS source ON source.id = source_id
    JOIN _nodes_this AS target ON target.id = target_id
)
SELECT source AS here, target AS there, target_kind AS kind, type, weight FROM placed
UNION ALL
SELECT target, source, source_kind, type, weight FROM placed WHERE source <> target;

-- Everything within `depth` steps of an entity, a document or a chunk, the nearest first.
CREATE MACRO this.neighbours(start_id, depth := 1) AS TABLE
WITH RECURSIVE ways AS MATERIALIZED (FROM this._ways),
reached(place, kind, distance) USING KEY (place) AS (
    SELECT place, 'start', 0 FROM _nodes_this WHERE id = start_id
    UNION
    SELECT there, min(way.kind), min(reached.distance + 1)
    FROM reached
    JOIN ways AS way ON here = reached.place
    WHERE reached.distance < depth AND there NOT IN (SELECT place FROM recurring.reached)
    GROUP BY there
)
SELECT id, kind, distance FROM reached JOIN _nodes_this USING (place) WHERE distance > 0 ORDER BY distance, place;

-- The shortest path between two nodes, with at most `max_steps`; among equally short paths the one with
-- the stronger edge at each step, seen from the end. No row if there is no path.
CREATE MACRO this.shortest_path(from_id, to_id, max_steps := 6) AS TABLE
WITH RECURSIVE ways AS MATERIALIZED (FROM this._ways),
reached(place, distance, previous) USING KEY (place) AS (
    SELECT place, 0, NULL::BIGINT FROM _nodes_this WHERE id = from_id
    UNION
    SELECT there, min(reached.distance + 1), arg_min(here, (-way.weight, here))
    FROM reached
    JOIN ways AS way ON here = reached.place
    WHERE reached.distance < max_steps
        AND there NOT IN (SELECT place FROM recurring.reached)
        AND NOT EXISTS (FROM recurring.reached AS found JOIN _nodes_this USING (place) WHERE id = to_id)
    GROUP BY there
),
walked(step, previous, place) AS (
    SELECT distance, previous, place FROM reached JOIN _nodes_this USING (place) WHERE id = to_id AND distance > 0
    UNION ALL
    SELECT before.distance, before.previous, before.place
    FROM walked JOIN reached AS before ON before.place = walked.previous
    WHERE before.distance > 0
)
SELECT step, start.id AS from_id, finish.id AS to_id, type, directed, source_id, target_id, weight, evidence
FROM walked
JOIN _nodes_this AS start ON start.place = walked.previous
JOIN _nodes_this AS finish ON finish.place = walked.place
JOIN this.edges ON (source_id, target_id) IN ((start.id, finish.id), (finish.id, start.id))
QUALIFY row_number() OVER (PARTITION BY step ORDER BY weight DESC, type, directed AND source_id = finish.id) = 1
ORDER BY step;

-- Connected components over edges of these types (all by default): each node with the first node of its
-- component. A label is the place of an earlier member. In every round a node takes the label of its
-- label, and both take smaller labels from neighbours (the hooking of FastSV, Zhang, Azad and Hu 2020),
-- so that a chain of n takes about log n rounds.
CREATE MACRO this.components(types := NULL) AS TABLE
WITH RECURSIVE links AS MATERIALIZED (
    SELECT DISTINCT here, there FROM this._ways WHERE types IS NULL OR list_contains(types, type)
),
labelled(place, component) USING KEY (place) AS (
    SELECT here, least(here, min(there)) FROM links GROUP BY here
    UNION
    SELECT place, min(offered)
    FROM (
        SELECT own.place, own.component, root.component AS offered
        FROM recurring.labelled AS own JOIN recurring.labelled AS root ON root.place = own.component
        UNION ALL
        SELECT own.place, own.component, near.component
        FROM links
        JOIN recurring.labelled AS own ON own.place = here
        JOIN recurring.labelled AS near ON near.place = there
        UNION ALL
        SELECT root.place, root.component, near.component
        FROM links
        JOIN recurring.labelled AS own ON own.place = here
        JOIN recurring.labelled AS root ON root.place = own.component
        JOIN recurring.labelled AS near ON near.place = there
    )
    WHERE offered < component
    GROUP BY place
)
SELECT member.id, first.id AS component
FROM labelled
JOIN _nodes_this AS member USING (place)
JOIN _nodes_this AS first ON first.place = component
ORDER BY labelled.component, labelled.place;
