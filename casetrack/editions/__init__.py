"""Editions for professions: each one folder that nothing else needs."""
