-- _terms_this(term) has all terms, once per segment of the index; see bm25.sql for the rest.
CREATE VIEW this.postings AS
SELECT term, chunk_id, tf
FROM (
    SELECT term, unnest(_postings_of_this(term, NULL), recursive := true)
    FROM (SELECT DISTINCT term FROM _terms_this)
)
JOIN _indexed_this USING (row);
