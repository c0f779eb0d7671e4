-- Amounts with their places, in reading order or by value; total is their number without the limit.
-- Amounts of different units do not compare, so by value they are grouped by unit: money first, then the most
-- frequent unit.
-- A sum that only its column makes money, or that is larger than its table allows, with a confidence below
-- 0.65, is never the highest.
-- A range matches if it overlaps the span from least to most. units has the number of amounts per unit.
-- :param kind text default 'all' money, percent, quantity, or all
-- :param unit text default null only these units, separated by commas, as EUR, percent, kg; null for all
-- :param least number default null smallest value; null for any
-- :param most number default null largest value; null for any
-- :param document_id text default null only in this document; null for all
-- :param sort_by text default 'document' document for reading order, value (the highest first), or lowest
-- :param limit integer default 100 largest number of rows; null for all
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
kept AS (
    SELECT *
    FROM amounts JOIN ordered USING (document_id)
    WHERE NOT repeated
        AND $kind IN ('all', kind)
        AND ($unit IS NULL OR list_contains(string_split(lower($unit), ','), lower(unit)))
        AND ($least IS NULL OR coalesce(high, value) >= $least)
        AND ($most IS NULL OR value <= $most)
        AND ($document_id IS NULL OR document_id = $document_id)
),
of_unit AS (
    SELECT
        kind, unit, count(*) AS count,
        row_number() OVER (ORDER BY kind <> 'money', count(*) DESC, kind, unit NULLS LAST) AS turn
    FROM kept
    GROUP BY kind, unit
)
SELECT
    kept.kind, value, high, kept.unit, entity_id, confidence, chunk_id, char_start, char_end, document_name, text,
    row_label, period, first_day, last_day, printed_value, scale,
    count(*) OVER () AS total,
    (SELECT list({'kind': kind, 'unit': unit, 'count': count} ORDER BY turn) FROM of_unit) AS units
FROM kept JOIN of_unit ON of_unit.kind = kept.kind AND of_unit.unit IS NOT DISTINCT FROM kept.unit
ORDER BY
    CASE WHEN $sort_by <> 'document' THEN turn END,
    CASE WHEN $sort_by = 'value' THEN kept.kind = 'money' AND confidence < 0.65 END,
    CASE $sort_by WHEN 'value' THEN -value WHEN 'lowest' THEN value END,
    position, chunk_index, char_start, char_end
LIMIT $limit;
