CREATE MACRO this.context(chunk_id, "window" := 1) AS TABLE
SELECT unnest(_context_this(CAST(chunk_id AS VARCHAR), CAST("window" AS BIGINT)), recursive := true);
