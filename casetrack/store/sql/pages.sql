-- A page from its chunks: each adds the text beyond those before it; between two chunks that do not
-- touch, the page has only white space.
CREATE VIEW this.pages AS
WITH placed AS (
    SELECT
        document_id, document_name, page, page_kind, text, char_start, chunk_index, extraction_method, ocr_confidence,
        max(char_end) OVER (
            PARTITION BY document_id, page ORDER BY chunk_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached
    FROM this.chunks
),
joined AS (
    SELECT
        document_id,
        page,
        any_value(document_name) AS document_name,
        coalesce(any_value(page_kind), 'page') AS page_kind,
        string_agg(
            CASE WHEN reached IS NULL THEN text
                 WHEN char_start > reached THEN chr(10) || text
                 ELSE substr(text, reached - char_start + 1) END,
            '' ORDER BY chunk_index
        ) AS text,
        count(*) AS chunk_count,
        CASE WHEN count(DISTINCT extraction_method) = 1 THEN any_value(extraction_method) ELSE 'Hybrid' END
            AS extraction_method,
        min(ocr_confidence) AS ocr_confidence
    FROM placed
    GROUP BY document_id, page
)
SELECT
    document_id, document_name, page, page_kind, text, chunk_count, length(text) AS char_count, extraction_method,
    ocr_confidence
FROM joined;
