-- Who matters most: by mentions times documents. Each with the place that tells most of it: the surest
-- of those that say its role; where none does, the first that gives its full name, or the first of all.
-- :param kinds list default '["person", "organization"]' which kinds of entities
-- :param limit integer default 10 at most so many
WITH chosen AS (
    SELECT *, row_number() OVER (
        ORDER BY mention_count::BIGINT * document_count DESC, mention_count DESC, entity_id
    ) AS rank
    FROM entities
    WHERE kind IN $kinds
    ORDER BY rank
    LIMIT $limit
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
SELECT chosen.* EXCLUDE (rank), place.chunk_id, place.char_start, place.char_end
FROM chosen LEFT JOIN place USING (entity_id)
ORDER BY rank;
