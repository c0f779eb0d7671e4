"""Shared vocabulary: errors, settings, records, schemas and small utilities."""
