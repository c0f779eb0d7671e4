-- People and organisations named in the same passages, the closest pairs first.
-- :param name text default '' only pairs with a name that contains this text
-- :param least integer default 1 least number of passages that name both
SELECT
    one.name AS name,
    one.kind AS kind,
    other.name AS with_name,
    other.kind AS with_kind,
    edge.count AS passages,
    edge.weight AS weight,
    first.citation AS for_instance
FROM edges AS edge
JOIN entities AS one ON one.entity_id = edge.source_id
JOIN entities AS other ON other.entity_id = edge.target_id
LEFT JOIN chunks AS first ON first.chunk_id = edge.evidence[1]
WHERE edge.type = 'co_occurrence'
    AND one.kind IN ('person', 'organization')
    AND other.kind IN ('person', 'organization')
    AND edge.count >= $least
    AND (contains(lower(one.name), lower($name)) OR contains(lower(other.name), lower($name)))
ORDER BY passages DESC, weight DESC, name, with_name;
