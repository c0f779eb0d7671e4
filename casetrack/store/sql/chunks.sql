-- `_stored_chunks_this` has every stored row, including those of dead revisions, so only this view may
-- read it.
CREATE VIEW this.chunks AS
SELECT
    chunk.* EXCLUDE (document_name, document_path),
    document.name AS document_name,
    document.path AS document_path,
    document.ingested_at AS document_ingested_at,
    document.source AS document_source,
    document.source_id AS document_source_id,
    document.source_url AS document_url,
    _cite_place(document.name, chunk.page_kind, chunk.page, chunk.paragraph_start, chunk.paragraph_end,
                chunk.line_start, chunk.line_end, chunk.page_is_estimated, chunk.sheet_name, chunk.row_start,
                chunk.row_end, chunk.column_start, chunk.column_end, chunk.printed_place) AS citation
FROM _stored_chunks_this AS chunk
JOIN _ledger_this AS document
    ON chunk.document_id = document.document_id AND chunk.revision = document.revision;
