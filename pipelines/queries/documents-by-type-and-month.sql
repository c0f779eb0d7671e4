-- Number of documents, pages and characters of each type, by the month of writing.
-- The date of the file replaces an unknown date of writing.
-- :param type text default null only this type, such as contract; null for all
SELECT
    coalesce(document_type, 'unknown') AS type,
    strftime(coalesce(content_created_at, file_modified_at), '%Y-%m') AS month,
    count(*) AS documents,
    sum(page_count) AS pages,
    sum(char_count) AS characters
FROM documents
WHERE $type IS NULL OR document_type = $type
GROUP BY ALL
ORDER BY month, type;
