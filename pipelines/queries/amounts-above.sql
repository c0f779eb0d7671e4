-- Sums of money of at least a value, the largest first, each with its source.
-- :param least number smallest sum
-- :param unit text default null currency, such as GBP; null for all, without conversion
SELECT
    amount.value,
    amount.unit,
    amount.text AS written,
    chunk.citation,
    trim(substr(chunk.text, greatest(amount.char_start - 120, 0) + 1, 300)) AS passage
FROM amounts AS amount
JOIN chunks AS chunk USING (chunk_id)
WHERE amount.kind = 'money'
    AND NOT amount.repeated
    AND coalesce(amount.high, amount.value) >= $least
    AND ($unit IS NULL OR amount.unit = $unit)
ORDER BY amount.unit, amount.value DESC, chunk.citation;
