-- Retrieval: each function asks the engine itself, so that SQL finds what `casetrack search` finds.
-- The rows come as a list of structs, one per call, and are unfolded here.
CREATE MACRO this.search(question, k := 20, mode := NULL, document := NULL) AS TABLE
SELECT unnest(
    _search_this(CAST(question AS VARCHAR), CAST(k AS BIGINT), CAST(mode AS VARCHAR), CAST(document AS VARCHAR)),
    recursive := true
);

CREATE MACRO this.similar(chunk_id, k := 10, min_similarity := 0.6, same_document := false) AS TABLE
SELECT unnest(
    _similar_this(CAST(chunk_id AS VARCHAR), CAST(k AS BIGINT), CAST(min_similarity AS DOUBLE),
                  CAST(same_document AS BOOLEAN)),
    recursive := true
);

CREATE MACRO this.context(chunk_id, "window" := 1) AS TABLE
SELECT unnest(_context_this(CAST(chunk_id AS VARCHAR), CAST("window" AS BIGINT)), recursive := true);

-- By a chunk's id; or by all the parts of a citation, for rows that are no chunk.
CREATE MACRO this.cite(chunk_id) AS _cite_this(CAST(chunk_id AS VARCHAR)),
(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated, sheet_name,
 row_start, row_end, column_start, column_end) AS
    _cite_place(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated, sheet_name,
                row_start, row_end, column_start, column_end);
