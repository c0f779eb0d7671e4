-- Documents that were read only in part, with low confidence, or by an older version than the newest ones.
-- :param least_confidence number default 0.7 sufficient mean confidence of recognised text
WITH newest AS (
    SELECT arg_max(pipeline_fingerprint, updated_at) AS fingerprint FROM documents
),
judged AS (
    SELECT
        name,
        list_filter([
            CASE WHEN len(missing) > 0 THEN array_to_string(missing, ' ') END,
            CASE WHEN len(failures) > 0 THEN 'failed: ' || array_to_string([f.extractor FOR f IN failures], ', ') END,
            CASE WHEN pages_without_text > 0
                THEN pages_without_text || ' of ' || page_count || ' pages without text' END,
            CASE WHEN ocr_confidence < $least_confidence
                THEN 'text recognised with a confidence of ' || round(ocr_confidence, 2) END,
            CASE WHEN pipeline_fingerprint <> fingerprint
                THEN 'read in another way than the newest documents' END
        ], lambda reason: reason IS NOT NULL) AS reasons,
        updated_at,
        path
    FROM documents CROSS JOIN newest
)
SELECT name, array_to_string(reasons, '; ') AS why, updated_at AS read_at, path
FROM judged
WHERE len(reasons) > 0
ORDER BY name;
