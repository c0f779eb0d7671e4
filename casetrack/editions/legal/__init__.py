"""The legal edition: cases, cite check, authorities, chronology, discovery, redaction."""
