-- The shortest path over edges between two nodes, one row for each step.
-- :param from_id text an entity, a document or a chunk of the view edges
-- :param to_id text another node of it
-- :param max_steps integer default 6 largest number of steps
FROM shortest_path($from_id, $to_id, max_steps => $max_steps)
ORDER BY step;
