-- A part of the list of documents: $limit of them after the first $offset, in the order $sort_by (name,
-- type, pages, date: added last, own_date: dated last, or author), with $words in the name or title and
-- the type $kind; empty texts filter nothing. $partly: only partially read documents. total is the number
-- without the limit.
SELECT document_id, count(*) OVER () AS total
FROM documents
WHERE ($words = '' OR contains(lower(name), lower($words)) OR contains(lower(coalesce(title, '')), lower($words)))
    AND ($kind = '' OR coalesce(document_type, 'other') = $kind)
    AND (NOT $partly OR len(missing) > 0 OR len(failures) > 0)
ORDER BY
    CASE $sort_by WHEN 'type' THEN coalesce(document_type, '~') WHEN 'author' THEN coalesce(lower(coalesce(author, source_author)), '~') END,
    CASE $sort_by WHEN 'pages' THEN page_count END DESC,
    CASE $sort_by
        WHEN 'date' THEN ingested_at
        WHEN 'own_date' THEN coalesce(
            CASE WHEN source_updated_at BETWEEN TIMESTAMPTZ '1970-01-02' AND ingested_at + INTERVAL 366 DAY THEN source_updated_at END,
            list_extract([CAST(p.value AS TIMESTAMPTZ) FOR p IN properties IF p.name = 'stated_date'], 1),
            content_created_at,
            content_modified_at,
            CASE WHEN file_modified_at BETWEEN TIMESTAMPTZ '1970-01-02' AND ingested_at + INTERVAL 366 DAY THEN file_modified_at END,
            ingested_at)
    END DESC,
    lower(name), path, document_id
LIMIT $limit OFFSET $offset;
