"""Word documents (DOCX)."""
