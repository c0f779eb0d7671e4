"""The legal edition: cases, the check of a brief, authorities, chronology, discovery, redaction."""
