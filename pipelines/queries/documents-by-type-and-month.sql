-- How many documents, pages and characters of each type there are, by the month they were written in.
-- Where a document does not say when it was written, the date of its file counts.
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
