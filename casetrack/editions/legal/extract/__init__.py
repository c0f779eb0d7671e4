"""Extraction from legal texts: citations, quotations, captions, printed page numbers."""
