"""What keeps collections true over time: sources, syncs, watches, health, transfer, jobs."""
