"""Writes paper: stamped and blacked-out copies of PDFs, tables and chronologies as DOCX."""
