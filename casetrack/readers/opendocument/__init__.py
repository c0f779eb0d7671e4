"""OpenDocument texts (ODT) and presentations (ODP)."""
