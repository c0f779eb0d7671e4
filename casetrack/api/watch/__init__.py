"""Watched folders: automatic synchronisation with collections."""
