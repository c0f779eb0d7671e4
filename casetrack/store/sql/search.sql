-- Retrieval calls the search engine, so that SQL returns the results of `casetrack search`. The rows are
-- a list of structs, one per call, and are unnested here; the same in similar.sql and context.sql.
CREATE MACRO this.search(
    question, k := 20, mode := NULL, document := NULL, kind := NULL, source := NULL, path := NULL,
    language := NULL, since := NULL, until := NULL
) AS TABLE
SELECT unnest(
    _search_this(
        CAST(question AS VARCHAR), CAST(k AS BIGINT), CAST(mode AS VARCHAR),
        CAST(document AS VARCHAR), CAST(kind AS VARCHAR), CAST(source AS VARCHAR), CAST(path AS VARCHAR),
        CAST(language AS VARCHAR), CAST(since AS VARCHAR), CAST(until AS VARCHAR)
    ),
    recursive := true
);
