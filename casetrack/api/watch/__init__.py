"""Folders that are kept in sync by themselves."""
