-- A part of the list of documents: $limit of them after the first $offset, in the order $sort_by (name,
-- type, pages, date: added last, own_date: dated last, or author), those whose name or title holds
-- $words and that are of the type $kind; empty texts ask nothing. $partly: only those that were not
-- read in full. total is how many there are without the limit.
SELECT document_id, count(*) OVER () AS total
FROM documents
WHERE ($words = '' OR contains(lower(name), lower($words)) OR contains(lower(coalesce(title, '')), lower($words)))
    AND ($kind = '' OR coalesce(document_type, 'other') = $kind)
    AND (NOT $partly OR len(missing) > 0)
ORDER BY
    CASE $sort_by WHEN 'type' THEN coalesce(document_type, '~') WHEN 'author' THEN coalesce(lower(coalesce(author, source_author)), '~') END,
    CASE $sort_by WHEN 'pages' THEN page_count END DESC,
    CASE $sort_by
        WHEN 'date' THEN ingested_at
        WHEN 'own_date' THEN coalesce(source_updated_at, content_created_at, content_modified_at, file_modified_at)
    END DESC,
    lower(name), path, document_id
LIMIT $limit OFFSET $offset;
