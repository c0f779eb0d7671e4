-- Amounts at their places, in reading order or the highest first; total is how many there are without
-- the limit. A range counts where it touches the span from least to most.
-- :param kind text default 'all' money, percent, quantity, or all
-- :param unit text default null only this unit, as EUR, percent, kg; null for all
-- :param least number default null at least so much; null for any
-- :param most number default null at most so much; null for any
-- :param document_id text default null only in this document; null for all
-- :param sort_by text default 'document' document for reading order, or value
-- :param limit integer default 100 at most so many; null for all
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
)
SELECT
    kind, value, high, unit, entity_id, confidence, chunk_id, char_start, char_end, document_name, text,
    row_label, period, first_day, last_day, printed_value, scale,
    count(*) OVER () AS total
FROM amounts JOIN ordered USING (document_id)
WHERE NOT repeated
    AND $kind IN ('all', kind)
    AND ($unit IS NULL OR lower(unit) = lower(trim($unit)))
    AND ($least IS NULL OR coalesce(high, value) >= $least)
    AND ($most IS NULL OR value <= $most)
    AND ($document_id IS NULL OR document_id = $document_id)
ORDER BY
    CASE $sort_by WHEN 'value' THEN value END DESC,
    position, chunk_index, char_start, char_end
LIMIT $limit;
