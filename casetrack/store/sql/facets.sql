-- Facets of the matching passages: the most frequent values of each facet with their numbers of passages. A
-- facet counts the passages that match all other filters, so that a second value of it can be chosen. hits,
-- files, named and who are those of casetrack/search/hits.py. Returns $most values of each facet, and those
-- in $chosen, written as FACET/VALUE, and $mentioned, ids of entities.
WITH hit AS (
    FROM hits JOIN files USING (file)
),
entries AS (
    SELECT 'document' AS facet, document AS value, count(*) AS passages
    FROM hit WHERE by_kind AND by_language AND by_source AND by_year GROUP BY ALL
    UNION ALL
    SELECT 'kind', kind, count(*)
    FROM hit WHERE by_document AND by_language AND by_source AND by_year GROUP BY ALL
    UNION ALL
    SELECT 'language', language, count(*)
    FROM hit WHERE by_document AND by_kind AND by_source AND by_year GROUP BY ALL
    UNION ALL
    SELECT 'source', source, count(*)
    FROM hit WHERE by_document AND by_kind AND by_language AND by_year GROUP BY ALL
    UNION ALL
    SELECT 'year', year, count(*)
    FROM hit WHERE by_document AND by_kind AND by_language AND by_source GROUP BY ALL
    UNION ALL
    SELECT kind, entity_id, passages
    FROM who JOIN (
        SELECT entity, count(*) AS passages
        FROM named SEMI JOIN (
            FROM hit WHERE by_document AND by_kind AND by_language AND by_source AND by_year
        ) AS hit USING (passage)
        GROUP BY entity
    ) USING (entity)
    UNION ALL
    SELECT split_part(chosen, '/', 1), substr(chosen, 1 + strpos(chosen, '/')), 0
    FROM (SELECT unnest($chosen::VARCHAR[]) AS chosen)
    UNION ALL
    SELECT kind, entity_id, 0 FROM who WHERE entity_id IN $mentioned
),
valued AS (
    SELECT facet, value, sum(passages)::INTEGER AS passages FROM entries WHERE value <> '' GROUP BY ALL
),
ordered AS (
    SELECT
        facet,
        value,
        passages,
        count(*) OVER (PARTITION BY facet) AS total,
        row_number() OVER (PARTITION BY facet ORDER BY passages DESC, value) AS place
    FROM valued
)
SELECT facet, value, who.name, passages, total::INTEGER AS total
FROM ordered LEFT JOIN who ON who.entity_id = value AND facet IN ('person', 'organization')
WHERE place <= $most OR facet || '/' || value IN $chosen OR value IN $mentioned
ORDER BY facet, place;
