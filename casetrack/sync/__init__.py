"""Keeping a collection true to a folder."""
