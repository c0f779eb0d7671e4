-- Entities of the collection, people, firms and places before concepts, and these before dates and amounts,
-- the most mentioned first; total is the number without the limit. Amounts of zero come after all others. Copies of a mail count as one; an entity that only copies
-- mention is counted in these.
-- :param kind text default 'all' person, organization, location, date, amount, concept, court (organizations that are one), or all
-- :param sort_by text default 'mentions' mentions, documents or name
-- :param limit integer default 50 largest number of rows; null for all
-- :param named text default null only entities with this text in a spelling of their name
-- :param skip integer default 0 number of rows to skip
SELECT *, count(*) OVER () AS total
FROM entities
WHERE $kind IN ('all', kind, CASE WHEN role = 'court' THEN role END)
    AND (
        $named IS NULL
        OR contains(lower(name), lower(CAST($named AS VARCHAR)))
        OR contains(lower(array_to_string(aliases, chr(10))), lower(CAST($named AS VARCHAR)))
    )
ORDER BY
    CASE WHEN $sort_by = 'name' OR kind NOT IN ('concept', 'date', 'amount') THEN 0 WHEN kind = 'concept' THEN 1 ELSE 2 END,
    $sort_by <> 'name' AND regexp_matches(entity_id, '^amount:[^°:]*:0$'),
    CASE $sort_by WHEN 'mentions' THEN mention_count WHEN 'documents' THEN document_count END DESC,
    CASE $sort_by WHEN 'mentions' THEN document_count WHEN 'documents' THEN mention_count END DESC,
    CASE $sort_by WHEN 'name' THEN lower(name) END,
    name,
    entity_id
LIMIT $limit OFFSET $skip;
