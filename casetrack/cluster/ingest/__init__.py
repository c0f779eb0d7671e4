"""Ingest on a cluster: its machines read files, one writer records what became of each."""
