-- References in the documents, the most cited first; total is the number without the limit.
-- :param type text default 'all' document, report, standard, regulation, rule, constitution, case, record, exhibit, section, link; all for those outside a document
-- :param sort_by text default 'citations' citations, documents or name
-- :param limit integer default 50 largest number of rows; null for all
-- :param named text default null only references with this text in their name
-- :param there boolean default null true for documents of the collection, false for documents outside it; null for both
-- :param skip integer default 0 number of rows to skip
SELECT *, count(*) OVER () AS total
FROM "references"
WHERE citation_count > 0
    AND (type = $type OR ($type = 'all' AND type NOT IN ('exhibit', 'section')))
    AND ($named IS NULL OR contains(lower(name), lower(CAST($named AS VARCHAR))))
    AND ($there IS NULL OR (target_document_id IS NOT NULL) = CAST($there AS BOOLEAN))
ORDER BY
    CASE $sort_by WHEN 'citations' THEN citation_count WHEN 'documents' THEN document_count END DESC,
    CASE $sort_by WHEN 'citations' THEN document_count WHEN 'documents' THEN citation_count END DESC,
    CASE $sort_by WHEN 'name' THEN lower(name) END,
    name,
    citation_count DESC,
    split_part(reference_id, '@', 1),
    (SELECT path FROM documents WHERE document_id = split_part(reference_id, '@', 2))
LIMIT $limit OFFSET $skip;
