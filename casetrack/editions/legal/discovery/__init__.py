"""Discovery: threads, families, duplicates, productions in and out, the privilege log."""
