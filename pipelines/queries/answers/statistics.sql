-- Statistics of a collection: one row for each count, the most frequent of a kind first.
WITH counted(measure, value, count) AS (
    SELECT 'documents', NULL, count(*) FROM documents
    UNION ALL
    SELECT 'pages', NULL, sum(page_count) FROM documents
    UNION ALL
    SELECT 'chunks', NULL, sum(chunk_count) FROM documents
    UNION ALL
    SELECT 'documents read in part', NULL, count(*) FROM documents WHERE len(missing) > 0 OR len(failures) > 0
    UNION ALL
    SELECT 'pages without text', NULL, sum(pages_without_text) FROM documents
    UNION ALL
    SELECT 'pages read by OCR', NULL, sum(ocr_pages) FROM documents
    UNION ALL
    SELECT 'document type', coalesce(nullif(document_type, ''), 'unknown'), count(*) FROM documents GROUP BY ALL
    UNION ALL
    SELECT 'file format', coalesce(nullif(format, ''), 'unknown'), count(*) FROM documents GROUP BY ALL
    UNION ALL
    SELECT 'language', coalesce(nullif(language, ''), 'unknown'), count(*) FROM documents GROUP BY ALL
    UNION ALL
    SELECT 'extraction method', coalesce(nullif(extraction_method, ''), 'unknown'), count(*) FROM documents GROUP BY ALL
    UNION ALL
    SELECT 'entity kind', kind, count(*) FROM entities GROUP BY ALL
    UNION ALL
    SELECT 'mentions', NULL, count(*) FROM mentions WHERE NOT repeated
    UNION ALL
    SELECT 'reference type', type, count(*) FROM "references" GROUP BY ALL
    UNION ALL
    SELECT 'citations', NULL, count(*) FROM citations WHERE resolved AND NOT repeated
    UNION ALL
    SELECT 'edge type', type, count(*) FROM edges WHERE source_kind = 'document' GROUP BY ALL
)
SELECT measure, value, coalesce(count, 0)::BIGINT AS count
FROM counted
ORDER BY measure, count DESC, value;
