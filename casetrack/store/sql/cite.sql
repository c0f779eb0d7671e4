-- By a chunk's id; or by all parts of a citation, for rows that are not chunks.
CREATE MACRO this.cite(chunk_id) AS _cite_this(CAST(chunk_id AS VARCHAR)),
(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated, sheet_name,
 row_start, row_end, column_start, column_end) AS
    _cite_place(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated, sheet_name,
                row_start, row_end, column_start, column_end, NULL),
(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated, sheet_name,
 row_start, row_end, column_start, column_end, printed_place) AS
    _cite_place(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated, sheet_name,
                row_start, row_end, column_start, column_end, printed_place);
