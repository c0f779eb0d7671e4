-- BM25 (k1 = 1.2, b = 0.75) over the live postings; the definition that search must equal.
-- query_terms() turns a question into index terms; a repeated term counts once per occurrence.
CREATE TEMP MACRO bm25(question, k := 10) AS TABLE
WITH asked AS (
    SELECT term, count(*) AS times
    FROM (SELECT unnest(query_terms(question)) AS term)
    GROUP BY term
),
collection AS (
    SELECT count(*) AS chunk_count, avg(length) AS average_length FROM _indexed
),
found AS (
    SELECT postings.*, count(*) OVER (PARTITION BY term) AS frequency
    FROM postings
    WHERE term IN (SELECT term FROM asked)
),
weighted AS (
    SELECT
        chunk_id,
        times
        * ln(1 + (chunk_count - frequency + 0.5) / (frequency + 0.5))
        * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * indexed.length / average_length)) AS weight
    FROM found
    JOIN asked USING (term)
    JOIN _indexed AS indexed USING (chunk_id)
    CROSS JOIN collection
),
scored AS (
    SELECT chunk_id, sum(weight) AS score FROM weighted GROUP BY chunk_id
)
SELECT chunk_id, score
FROM scored
QUALIFY row_number() OVER (ORDER BY score DESC, chunk_id) <= k
ORDER BY score DESC, chunk_id;
