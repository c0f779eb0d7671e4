-- The largest sums of money in each currency, because different currencies do not compare: the most
-- frequent currency first, sums without a currency last. Each sum has its surest place and, in a table,
-- the words of its row and the period of its column.
-- A sum is omitted if only its column makes it money (confidence below 0.65), or if it has no sign of
-- a currency (below 0.9) and is more than ten times the largest sum of the collection that has one.
-- Copies of a mail count as one. Currencies after the fourth are only counted. total is the number of different sums of a currency.
-- :param limit integer default 12 largest number of sums per currency
WITH ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
certain AS (
    SELECT *, max(abs(value)) FILTER (confidence >= 0.9) OVER (PARTITION BY unit) AS most
    FROM amounts JOIN ordered USING (document_id)
    WHERE kind = 'money' AND NOT repeated AND confidence >= 0.65
),
place AS (
    SELECT * FROM certain WHERE confidence >= 0.9 OR abs(value) <= 10 * coalesce(most, abs(value))
),
sum AS (
    SELECT
        unit,
        any_value(value) AS value,
        any_value(high) AS high,
        count(*) AS mention_count,
        count(DISTINCT document_id) AS document_count,
        arg_min({'chunk_id': chunk_id, 'char_start': char_start, 'char_end': char_end,
                 'scale': scale, 'row_label': row_label, 'period': period},
                {'unsure': -confidence, 'document': position, 'chunk': chunk_index, 'start': char_start}) AS place,
        row_number() OVER (
            PARTITION BY unit
            ORDER BY greatest(abs(any_value(value)), abs(coalesce(any_value(high), 0))) DESC, entity_id
        ) AS rank
    FROM place
    GROUP BY entity_id, unit
),
currency AS (
    SELECT
        unit,
        count(DISTINCT entity_id) AS total,
        row_number() OVER (ORDER BY unit IS NULL, count(*) DESC, unit) AS turn
    FROM place
    GROUP BY unit
)
SELECT
    currency.unit, total, value, high, mention_count, document_count,
    place.chunk_id, place.char_start, place.char_end, place.scale, place.row_label, place.period
FROM currency
LEFT JOIN sum ON sum.unit IS NOT DISTINCT FROM currency.unit AND turn <= 4 AND rank <= $limit
ORDER BY turn, rank;
