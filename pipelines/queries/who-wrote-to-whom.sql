-- Who wrote to whom, how often and when, by the heads of mails; copies of a mail count once.
-- :param name text default '' only pairs with a name that contains this text
WITH head AS (
    SELECT DISTINCT
        mention.document_id,
        mention.page,
        mention.entity_id,
        mention.name,
        mention.role,
        document.content_created_at AS sent,
        chunk.citation
    FROM mentions AS mention
    JOIN chunks AS chunk USING (chunk_id)
    JOIN documents AS document ON document.document_id = mention.document_id
    WHERE document.format IN ('eml', 'msg', 'mbox')
        AND mention.role IN ('sender', 'recipient', 'copied in')
        -- Quoted mails have heads further down.
        AND chunk.char_start = 0
        AND mention.char_start < strpos(chunk.text || E'\n\n', E'\n\n')
        AND NOT EXISTS (
            SELECT 1 FROM edges AS edge
            WHERE edge.type = 'copy' AND edge.source_id = mention.document_id
        )
)
SELECT
    writer.name AS sender,
    reader.name AS recipient,
    count(DISTINCT (reader.document_id, reader.page)) FILTER (reader.role = 'recipient') AS mails,
    count(DISTINCT (reader.document_id, reader.page)) FILTER (reader.role = 'copied in') AS in_copy,
    CAST(min(reader.sent) AS DATE) AS first_day,
    CAST(max(reader.sent) AS DATE) AS last_day,
    arg_min(reader.citation, (reader.sent, reader.citation)) AS for_instance
FROM head AS writer
JOIN head AS reader USING (document_id, page)
WHERE writer.role = 'sender'
    AND reader.role <> 'sender'
    AND (contains(lower(writer.name), lower($name)) OR contains(lower(reader.name), lower($name)))
GROUP BY writer.entity_id, writer.name, reader.entity_id, reader.name
ORDER BY mails DESC, in_copy DESC, sender, recipient;
