-- BM25 (k1 = 1.2, b = 0.75) over the live postings; the definition that search must equal.
-- query_terms() turns a question into index terms; a repeated term counts once per occurrence.
-- _terms_this(term, code), _postings_this(code, row, tf) and _indexed_this(row, chunk_id, length) are the index as
-- it lies on disk; only live rows stand in _indexed_this.
CREATE VIEW this.postings AS
SELECT term, chunk_id, tf
FROM _postings_this JOIN _terms_this USING (code) JOIN _indexed_this USING (row);

CREATE MACRO this.bm25(question, k := 10) AS TABLE
WITH asked AS (
    SELECT term, count(*) AS times
    FROM (SELECT unnest(query_terms(CAST(question AS VARCHAR))) AS term)
    GROUP BY term
),
collection AS (
    SELECT count(*) AS chunk_count, avg(length) AS average_length FROM _indexed_this
),
found AS (
    SELECT chunk_id, length, times, tf, count(*) OVER (PARTITION BY term) AS frequency
    FROM asked
    JOIN _terms_this USING (term)
    JOIN _postings_this USING (code)
    JOIN _indexed_this USING (row)
),
scored AS (
    SELECT
        chunk_id,
        sum(
            times
            * ln(1 + (chunk_count - frequency + 0.5) / (frequency + 0.5))
            * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / average_length))
        ) AS score
    FROM found CROSS JOIN collection
    GROUP BY chunk_id
),
best AS (
    SELECT chunk_id, score
    FROM scored
    QUALIFY row_number() OVER (ORDER BY score DESC, chunk_id)
        <= CASE WHEN k::BIGINT >= 1 THEN k::BIGINT ELSE error('k must be 1 or more, not ' || coalesce(k::VARCHAR, 'NULL')) END
)
SELECT chunk_id, score, _cite_this(chunk_id) AS citation
FROM best
ORDER BY score DESC, chunk_id;
