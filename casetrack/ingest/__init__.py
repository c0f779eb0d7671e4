"""Ingestion: which files, in what order, through the pipeline, into the store."""
