"""Maintenance of collections: sources, syncs, watches, health, transfer, jobs."""
