"""Extraction of facts from text."""
