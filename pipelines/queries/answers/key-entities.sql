-- Who and what matters most, by mentions times documents: the first of all, and the first of the people
-- and organisations. Each with the place that tells most of it: the surest of those that say its role;
-- where none does, the first that gives its full name, or the first of all.
-- :param limit integer default 10 at most so many of each
WITH worth AS (
    SELECT *, mention_count::BIGINT * document_count AS worth, kind IN ('person', 'organization') AS is_actor
    FROM entities
    WHERE kind IN ('person', 'organization', 'location', 'concept')
),
ranked AS (
    SELECT
        *,
        row_number() OVER (ORDER BY worth DESC, mention_count DESC, entity_id) AS rank,
        CASE WHEN is_actor THEN row_number() OVER (
            PARTITION BY is_actor ORDER BY worth DESC, mention_count DESC, entity_id
        ) END AS actor_rank
    FROM worth
),
chosen AS (
    FROM ranked WHERE rank <= $limit OR actor_rank <= $limit
),
ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
place AS (
    SELECT
        entity_id, chunk_id, char_start, char_end,
        CASE WHEN mention.role = chosen.role THEN 2 WHEN mention.text = chosen.name THEN 1 ELSE 0 END AS tells,
        confidence, position, chunk_index
    FROM mentions AS mention
    JOIN chosen USING (entity_id)
    JOIN ordered USING (document_id)
    WHERE NOT repeated
    QUALIFY row_number() OVER (
        PARTITION BY entity_id
        ORDER BY tells DESC, CASE tells WHEN 2 THEN confidence END DESC, position, chunk_index, char_start, char_end
    ) = 1
)
SELECT chosen.* EXCLUDE (worth, is_actor), place.chunk_id, place.char_start, place.char_end
FROM chosen LEFT JOIN place USING (entity_id)
ORDER BY rank;
