"""Sync of a collection with a folder or source: new, changed, moved and deleted files.

A file is compared by its path and the SHA-256 of its content, never only by its times.
"""
