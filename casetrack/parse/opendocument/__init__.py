"""OpenDocument texts (ODT), presentations (ODP) and drawings (ODG)."""
