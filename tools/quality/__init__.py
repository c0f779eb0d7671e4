"""Measurements of quality against annotated data: search, extraction, tables, citations."""
