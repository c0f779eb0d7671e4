"""Making a release: built the same each time, listed, signed, checked: ``python -m release``."""
