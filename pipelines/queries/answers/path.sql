-- The fewest steps over edges from one thing to another, one row for each step.
-- :param from_id text an entity, a document or a chunk of the view edges
-- :param to_id text another one
-- :param max_steps integer default 6 at most so many steps
FROM shortest_path($from_id, $to_id, max_steps => $max_steps)
ORDER BY step;
