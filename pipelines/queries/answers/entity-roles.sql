-- The roles that documents state of an entity, by the days of these documents, each with its best place.
-- Roles in the heads of mails are left out.
-- :param entity_id text an id of the view entities
-- :param limit integer default 12 largest number of rows
WITH stated AS (
    SELECT
        role, document_id, chunk_id, char_start, char_end, chunk_index, found_by,
        coalesce(
            stated_on,
            right(period, 10),
            CASE WHEN format IN ('eml', 'msg', 'mbox') THEN strftime(content_created_at, '%Y-%m-%d') END
        ) AS day
    FROM mentions JOIN documents USING (document_id)
    WHERE entity_id = $entity_id
        AND NOT repeated
        AND role NOT IN ('sender', 'recipient', 'copied in', 'author')
)
SELECT
    role,
    min(day) AS since,
    max(day) AS until,
    count(DISTINCT document_id)::INTEGER AS document_count,
    arg_min(
        {'chunk_id': chunk_id, 'char_start': char_start, 'char_end': char_end},
        {'found': found_by <> 'defined', 'day': coalesce(day, '9999'), 'document': document_id, 'chunk': chunk_index, 'start': char_start}
    ) AS place
FROM stated
GROUP BY role
ORDER BY since NULLS LAST, document_count DESC, count(*) DESC, role
LIMIT $limit;
