"""Plain text and its relatives."""
