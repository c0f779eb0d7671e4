"""Where text stands on a page: lines, columns, paragraphs, tables. Free of any parser."""
