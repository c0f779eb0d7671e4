-- Dates between two days with their passages, in order, each with its source.
-- :param from_day date first day, as 2024-01-31
-- :param to_day date last day
SELECT
    date.value AS day,
    date.text AS written,
    chunk.citation,
    trim(substr(chunk.text, greatest(date.char_start - 120, 0) + 1, 300)) AS passage
FROM dates AS date
JOIN chunks AS chunk USING (chunk_id)
WHERE NOT date.repeated
    AND date.first_day <= CAST($to_day AS VARCHAR)
    AND date.last_day >= CAST($from_day AS VARCHAR)
ORDER BY date.first_day, date.last_day, chunk.document_name, chunk.chunk_index, date.char_start;
