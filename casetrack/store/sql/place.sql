-- The citation of a chunk, the same text as that of casetrack.base.provenance.Provenance.cite.
CREATE MACRO cite_range(singular, plural, first, last) AS
    CASE WHEN first = last THEN singular || ' ' || first
         ELSE plural || ' ' || first || '-' || last END;

CREATE MACRO column_letters(number) AS
    CASE WHEN number < 1 THEN NULL
         WHEN number <= 26 THEN chr(64 + number)
         WHEN number <= 702
         THEN chr(64 + CAST((number - 1) // 26 AS INTEGER)) || chr(65 + CAST((number - 1) % 26 AS INTEGER))
         ELSE chr(64 + CAST((number - 703) // 676 + 1 AS INTEGER))
              || chr(65 + CAST(((number - 703) % 676) // 26 AS INTEGER))
              || chr(65 + CAST((number - 703) % 26 AS INTEGER)) END;

CREATE MACRO _cite_place(name, page_kind, page, paragraph_start, paragraph_end, line_start, line_end, estimated,
                         sheet_name, row_start, row_end, column_start, column_end, printed_place) AS
    CASE WHEN sheet_name IS NULL THEN
        name || ', '
        || CASE WHEN page_kind IN ('slide', 'message', 'section') THEN page_kind ELSE 'p.' END
        || ' ' || page || CASE WHEN estimated THEN ' (estimated)' ELSE '' END
        || coalesce(' (' || nullif(printed_place, '') || ')', '')
        || ', ' || cite_range('para.', 'paras.', paragraph_start, paragraph_end)
        || ', ' || cite_range('l.', 'll.', line_start, line_end)
    ELSE
        name || ', sheet "' || sheet_name || '", '
        || cite_range('row', 'rows', row_start, row_end)
        || ', columns '
        || CASE WHEN column_start = column_end THEN column_letters(column_start)
                ELSE column_letters(column_start) || '-' || column_letters(column_end) END
    END;
