"""Names with evidence in the document, and their other occurrences."""
