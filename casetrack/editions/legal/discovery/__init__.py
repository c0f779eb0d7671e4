"""Discovery: threads, families, duplicates, productions, privilege logs."""
