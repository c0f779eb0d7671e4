"""The language of SQL over collections: what a statement may name, its text, and its control."""
