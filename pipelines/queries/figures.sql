-- Figures of tables: metric by period with the change from the previous period of its row, each with its source.
-- The previous period is one of the same kind in the same row; without one there is no change.
-- :param metric text default null words of the row's label, such as net sales; null for all
-- :param document text default null words of the document's name; null for all
WITH cell AS (
    SELECT
        amount.*,
        chunk.citation,
        len(string_split(left(chunk.text, amount.char_start), chr(10))) AS line,
        string_split(chunk.text, chr(10))[line] AS written,
        -- "Year ended December 31, 2022" and "Year ended December 31, 2021" are of one kind.
        regexp_replace(
            lower(period), '\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|[\d/.,-]+', '', 'g'
        ) AS period_kind,
        coalesce(last_day, regexp_extract_all(period, '(?:19|20)\d\d')[-1]) AS ending
    FROM amounts AS amount
    JOIN chunks AS chunk USING (chunk_id)
    WHERE amount.kind = 'money'
        AND amount.period IS NOT NULL
        AND amount.row_label IS NOT NULL
        AND amount.confidence >= 0.4
        AND NOT amount.repeated
        AND ($metric IS NULL OR contains(lower(amount.row_label), lower($metric)))
        AND ($document IS NULL OR contains(lower(amount.document_name), lower($document)))
),
compared AS (
    SELECT
        *,
        lag(value) OVER row_cells AS before,
        lag(period) OVER row_cells AS period_before,
        lag(ending) OVER row_cells AS ending_before
    FROM cell
    WINDOW row_cells AS (PARTITION BY chunk_id, line, row_label, unit, period_kind ORDER BY ending, char_start)
)
SELECT
    row_label AS metric,
    period,
    value,
    unit,
    period_before AS compared_with,
    value - before AS change,
    CASE WHEN before > 0 THEN round(100 * (value - before) / before, 1) END AS change_percent,
    citation,
    written
FROM (
    SELECT * REPLACE (
        CASE WHEN ending_before < ending THEN before END AS before,
        CASE WHEN ending_before < ending THEN period_before END AS period_before
    )
    FROM compared
)
ORDER BY document_name, chunk_index, line, ending DESC, char_start;
