-- BM25 (k1 = 1.2, b = 0.75) over the live postings; the definition that search must equal.
-- query_terms() turns a question into index terms; a repeated term counts once per occurrence.
-- With a filter, all statistics are those of the selected rows: their number, length, and document frequencies.
-- _chosen_this(document, ...) is the list of the ids of the documents that pass all filters; NULL without a filter.
-- _postings_of_this(term, document_ids) is the list of a term's live postings: row, tf and the length of the row,
-- in all documents if the ids are NULL. _indexed_this(row, chunk_id, length, document_id, position) has all live rows.
CREATE MACRO this._number_of_rows(k) AS
    CASE WHEN k::BIGINT >= 1 THEN k::BIGINT ELSE error('k must be 1 or more, not ' || coalesce(k::VARCHAR, 'NULL')) END;

CREATE MACRO this.bm25(
    question, k := 10, document := NULL, kind := NULL, source := NULL, path := NULL, language := NULL,
    since := NULL, until := NULL
) AS TABLE
WITH place AS (
    SELECT
        _chosen_this(
            CAST(document AS VARCHAR), CAST(kind AS VARCHAR), CAST(source AS VARCHAR), CAST(path AS VARCHAR),
            CAST(language AS VARCHAR), CAST(since AS VARCHAR), CAST(until AS VARCHAR)
        ) AS wanted
),
asked AS (
    SELECT term, count(*) AS times
    FROM (SELECT unnest(query_terms(CAST(question AS VARCHAR))) AS term)
    GROUP BY term
),
collection AS (
    SELECT count(*) AS chunk_count, avg(length) AS average_length
    FROM _indexed_this CROSS JOIN place
    WHERE wanted IS NULL OR document_id IN (SELECT unnest(wanted) FROM place)
),
weighed AS (
    SELECT
        times * ln(1 + (chunk_count - len(postings) + 0.5) / (len(postings) + 0.5)) AS weight,
        average_length,
        postings
    FROM (SELECT times, _postings_of_this(term, wanted) AS postings FROM asked CROSS JOIN place)
    CROSS JOIN collection
),
found AS (
    SELECT weight, average_length, unnest(postings, recursive := true) FROM weighed
),
scored AS (
    SELECT row, sum(weight * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / average_length))) AS score
    FROM found
    GROUP BY row
),
-- Only rows with at least the k-th best score are looked up and ordered, equal scores by path and position. max(score, n)
-- accepts no n of a million or more; then all rows are ordered.
least AS (
    SELECT list_min(max(score, least(this._number_of_rows(k), 999999))) AS score FROM scored
),
best AS (
    SELECT chunk_id, scored.score, position
    FROM scored
    JOIN least ON scored.score >= least.score OR k::BIGINT > 999999
    JOIN _indexed_this USING (row)
    QUALIFY row_number() OVER (ORDER BY scored.score DESC, position) <= this._number_of_rows(k)
)
SELECT chunk_id, score, _cite_this(chunk_id) AS citation
FROM best
ORDER BY score DESC, position;
