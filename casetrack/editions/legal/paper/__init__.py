"""Writers of papers: stamped and redacted PDFs, tables and chronologies as DOCX."""
