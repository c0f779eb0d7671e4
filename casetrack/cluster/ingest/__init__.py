"""Ingest on a cluster: its machines read files, one writer records the outcome of each."""
