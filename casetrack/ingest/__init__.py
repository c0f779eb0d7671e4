"""Ingestion: file discovery, planning, the pipeline, and storage."""
