"""Structure of a page from positioned text: lines, columns, paragraphs, tables. Has no parser."""
