-- The strongest connections among some entities, four for each, and the strongest one of each, with their
-- first passage: the shortest stretch with both, or if that is longer than 240 characters, the first
-- place of either.
-- :param entity_ids list ids of the view entities, as '["person:ann-lee", "organization:acme"]'
WITH ranked AS (
    SELECT *, row_number() OVER (ORDER BY weight DESC, count DESC, source_id, target_id) AS rank
    FROM edges
    WHERE source_kind = 'entity'
        AND type = 'co_occurrence'
        AND source_id IN $entity_ids
        AND target_id IN $entity_ids
),
strongest AS (
    SELECT min(rank) AS rank
    FROM (SELECT unnest([source_id, target_id]) AS entity_id, rank FROM ranked)
    GROUP BY entity_id
),
kept AS (
    FROM ranked WHERE rank <= 4 * len($entity_ids) OR rank IN (SELECT rank FROM strongest)
),
place AS (
    SELECT
        rank, entity_id, char_start, char_end,
        lead(entity_id) OVER following AS next_id,
        lead(char_start) OVER following AS next_start,
        greatest(char_end, lead(char_end) OVER following) AS both_end
    FROM kept JOIN mentions ON chunk_id = evidence[1] AND entity_id IN (source_id, target_id)
    WINDOW following AS (PARTITION BY rank ORDER BY char_start, char_end)
),
stretch AS (
    SELECT
        rank,
        min({'start': char_start, 'end': char_end}) AS first,
        min({'width': both_end - char_start, 'start': char_start, 'end': both_end})
            FILTER (next_id <> entity_id AND both_end - char_start <= 240) AS nearest
    FROM place
    GROUP BY rank
)
SELECT
    source_id, target_id, type, weight, count, evidence,
    coalesce(nearest.start, first.start) AS quote_start,
    coalesce(nearest.end, first.end) AS quote_end
FROM kept LEFT JOIN stretch USING (rank)
ORDER BY rank;
