"""Parsing of a question before the search."""
