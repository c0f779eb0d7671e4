"""Whole collections as one file: export and import."""
