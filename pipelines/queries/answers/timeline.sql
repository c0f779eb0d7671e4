-- The most important dates, each with its most informative places: those with the most names, sums and
-- references around them. One row for each place, the most important date first. A day is more important
-- than a year, as is a date with names and sums next to it and in several documents, or the date of a document itself; a date that its
-- documents repeat more than eight times each is a column head or the end of a fiscal year. total is the
-- number of dates, undated the number of places with an unknown date, fiscal that of fiscal quarters and
-- years without known days, periods the number of dates per month, and per year for dates without a
-- month; all four without the limit. Copies of a mail count as one.
-- :param start date default null first day; null for all
-- :param end date default null last day; null for all
-- :param limit integer default 300 largest number of dates; null for all
-- :param places integer default 4 largest number of places per date
WITH dated AS (
    SELECT *
    FROM dates AS date
    WHERE NOT repeated
        AND entity_id IS NOT NULL
        -- A fiscal quarter of a year with unknown months has no days.
        AND first_day IS NOT NULL AND last_day IS NOT NULL
        AND precision IN ('day', 'week', 'month', 'quarter', 'half', 'year', 'range')
        -- "In a month" or "three months ago" is seldom a day; "last Tuesday" is one.
        AND (kind <> 'relative' OR (
            confidence::DOUBLE >= 0.6 AND precision = 'day' AND NOT regexp_matches(text, '(?i)(?:week|month|year)s?\b')
        ))
        AND ($start IS NULL OR last_day >= CAST($start AS VARCHAR))
        AND ($end IS NULL OR first_day <= CAST($end AS VARCHAR))
        -- A year within a name is part of it, as in the name of an act. Whole dates next to a
        -- title ("the Agreement of 12 March 2024") are kept.
        AND NOT (precision = 'year' AND EXISTS (
            FROM citations AS cited
            WHERE cited.chunk_id = date.chunk_id
                AND cited.char_start <= date.char_start
                AND cited.char_end >= date.char_end
                AND cited.type IN ('standard', 'regulation', 'rule', 'constitution', 'case', 'record', 'report', 'document', 'link')
        ))
),
spots AS (
    SELECT chunk_id, char_start AS spot FROM mentions WHERE kind IN ('person', 'organization', 'amount')
    UNION ALL
    SELECT chunk_id, char_start FROM citations
),
beside AS (
    SELECT chunk_id, char_start, char_end, count(DISTINCT spot) AS beside
    FROM (SELECT DISTINCT chunk_id, char_start, char_end FROM dated) AS place
    JOIN spots USING (chunk_id)
    WHERE spot >= char_start - 150 AND spot < char_end + 150
    GROUP BY ALL
),
ordered AS (
    -- A mail is an event by its head, whatever its text states.
    SELECT document_id, CASE WHEN format NOT IN ('eml', 'msg') THEN stated_on END AS stated_on,
        row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
place AS (
    SELECT
        dated.*, position, coalesce(beside, 0) AS beside,
        chunk_index = 0 AND value IS NOT DISTINCT FROM stated_on AS is_own,
        count(*) OVER (PARTITION BY value) AS mention_count,
        row_number() OVER (
            PARTITION BY value
            ORDER BY chunk_index = 0 AND value IS NOT DISTINCT FROM stated_on DESC,
                coalesce(beside, 0) DESC, position, chunk_index, char_start, char_end
        ) AS turn
    FROM dated
    JOIN ordered USING (document_id)
    LEFT JOIN beside USING (chunk_id, char_start, char_end)
),
documents_of AS (
    SELECT value, count(DISTINCT document_id) AS document_count FROM dated GROUP BY value
),
period AS (
    SELECT
        left(first_day, CASE WHEN precision IN ('year', 'half', 'quarter') THEN 4 ELSE 7 END) AS period,
        count(DISTINCT value)::INTEGER AS dates
    FROM dated
    GROUP BY period
),
promising AS (
    SELECT
        value,
        document_count,
        0.3 * CASE precision WHEN 'day' THEN 1 WHEN 'range' THEN 0.85 WHEN 'week' THEN 0.8 WHEN 'month' THEN 0.7
                              WHEN 'quarter' THEN 0.55 WHEN 'half' THEN 0.5 ELSE 0.25 END::DOUBLE
            + 0.2 * confidence::DOUBLE
            + 0.1 * least(log2(document_count) / 3, 1)
            + 0.05 * least(log2(mention_count) / 4, 1)
            + 0.15 * least(beside, 4)::DOUBLE / 4
            + 0.2 * is_own::INTEGER
            - CASE WHEN mention_count > 8 * document_count THEN 0.2 ELSE 0 END AS promise
    FROM place JOIN documents_of USING (value)
    WHERE turn = 1
    ORDER BY promise DESC, value
    LIMIT $limit
)
SELECT
    value, first_day, last_day, precision, mention_count, document_count, beside, is_own, confidence,
    chunk_id, char_start, char_end, place.document_id, place.document_name, place.text, position, chunk_index,
    total, undated, fiscal, periods
FROM (SELECT count(*) AS total FROM documents_of)
CROSS JOIN (
    SELECT
        count(*) FILTER (entity_id IS NULL) AS undated,
        count(*) FILTER (entity_id IS NOT NULL AND (first_day IS NULL OR last_day IS NULL)) AS fiscal
    FROM dates
    WHERE NOT repeated
)
CROSS JOIN (SELECT coalesce(list({period: period, dates: dates} ORDER BY period), []) AS periods FROM period)
LEFT JOIN (place JOIN promising USING (value)) ON turn <= $places
ORDER BY promise DESC, value, turn;
