-- Deadlines with their rule, such as "within 30 days after receipt of notice", each with its source.
-- The day is computed only if the rule counts calendar days, months or years from one dated term of the document
-- ("March 1, 2024 (the "Effective Date")") or from the date of the document; it is not adjusted for holidays.
-- :param document text default null words of the document's name; null for all
WITH rule AS (
    SELECT
        amount.document_id,
        amount.document_name,
        chunk.chunk_index,
        amount.chunk_id,
        amount.char_start,
        amount.char_end,
        chunk.citation,
        amount.value AS number,
        amount.unit,
        amount.text AS written,
        regexp_extract(
            substr(chunk.text, amount.char_end + 1, 160),
            '^([\s)]*(?:calendar|business|working)?\s*(?:[’'']|written\s)?\s*(?:notice\s)?'
            || '(?:after|following|before|prior\sto|from|of)\s[^.,;:()\n\]]{3,90})', 1
        ) AS behind,
        regexp_extract(left(chunk.text, amount.char_start), '(?i)((?:within|no later than|not later than|at least|until)\s(?:the\s)?)$', 1) AS ahead
    FROM amounts AS amount
    JOIN chunks AS chunk USING (chunk_id)
    WHERE amount.kind = 'quantity'
        AND amount.unit IN ('day', 'week', 'month', 'year', 'business day')
        AND amount.high IS NULL
        AND NOT amount.repeated
        AND ($document IS NULL OR contains(lower(amount.document_name), lower($document)))
),
stated AS (
    SELECT
        *,
        regexp_extract(behind, '(after|following|before|prior\sto|from|of)\s', 1) AS direction,
        trim(regexp_extract(behind, '(?:after|following|before|prior\sto|from|of)\s+(?:and\sincluding\s)?(.*)$', 1)) AS anchor
    FROM rule
    WHERE behind <> ''
        -- "Four weeks of use" is a duration.
        AND (ahead <> '' OR NOT regexp_matches(behind, '^[\s)]*of\s'))
),
term AS (
    SELECT document_id, name, min(day) AS day
    FROM (
        SELECT
            date.document_id,
            date.first_day AS day,
            regexp_extract(
                substr(chunk.text, date.char_end + 1, 90),
                '^[,\s]*\((?:[a-z, ]*)["“]([A-Z][A-Za-z ]{2,40})["”]\)', 1
            ) AS name
        FROM dates AS date
        JOIN chunks AS chunk USING (chunk_id)
        WHERE date.precision = 'day' AND NOT date.repeated
    )
    WHERE name <> ''
    GROUP BY document_id, name
    HAVING count(DISTINCT day) = 1
    UNION ALL
    SELECT document_id, '(?:date\s(?:hereof|of\sth(?:is|e)\s\w+)|execution\s(?:hereof|of\sth(?:is|e)\s\w+))', stated_on
    FROM documents
    WHERE stated_on IS NOT NULL AND document_type = 'contract'
)
SELECT
    trim(ahead || written || behind) AS rule,
    direction,
    anchor,
    term.day AS anchor_day,
    CASE WHEN number = floor(number) AND number < 10000 AND NOT regexp_matches(written || behind, '(?i)business|working')
        THEN CAST(
            CASE unit
                WHEN 'day' THEN CAST(term.day AS DATE) + sign * CAST(number AS INTEGER)
                WHEN 'week' THEN CAST(term.day AS DATE) + sign * 7 * CAST(number AS INTEGER)
                WHEN 'month' THEN CAST(term.day AS DATE) + sign * to_months(CAST(number AS INTEGER))
                ELSE CAST(term.day AS DATE) + sign * to_months(12 * CAST(number AS INTEGER))
            END AS DATE
        )
    END AS day,
    citation,
    chunk_id,
    deadline.char_start,
    char_end
FROM (
    SELECT *, CASE WHEN direction IN ('before', 'prior to') THEN -1 ELSE 1 END AS sign FROM stated
) AS deadline
LEFT JOIN term ON term.document_id = deadline.document_id
    AND regexp_matches(anchor, '^(?:(?:the|this|such)\s)?' || term.name || '\W*$')
    AND direction <> 'of'
ORDER BY deadline.document_name, chunk_index, char_start;
