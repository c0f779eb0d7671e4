CREATE MACRO this.similar(chunk_id, k := 10, min_similarity := 0.6, same_document := false) AS TABLE
SELECT unnest(
    _similar_this(CAST(chunk_id AS VARCHAR), CAST(k AS BIGINT), CAST(min_similarity AS DOUBLE),
                  CAST(same_document AS BOOLEAN)),
    recursive := true
);
