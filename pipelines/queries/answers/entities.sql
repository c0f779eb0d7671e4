-- Who and what is mentioned, most mentions first; total is how many there are without the limit.
-- Amounts of zero, which say nothing, come after all others.
-- :param kind text default 'all' person, organization, location, date, amount, concept, or all
-- :param sort_by text default 'mentions' mentions, documents or name
-- :param limit integer default 50 at most so many; null for all
SELECT *, count(*) OVER () AS total
FROM entities
WHERE $kind IN ('all', kind)
ORDER BY
    $sort_by <> 'name' AND regexp_matches(entity_id, '^amount:[^°:]*:0$'),
    CASE $sort_by WHEN 'mentions' THEN mention_count WHEN 'documents' THEN document_count END DESC,
    CASE $sort_by WHEN 'mentions' THEN document_count WHEN 'documents' THEN mention_count END DESC,
    CASE $sort_by WHEN 'name' THEN lower(name) END,
    name,
    entity_id
LIMIT $limit;
