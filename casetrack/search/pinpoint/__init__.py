"""Pinpoints: the best sentences, rows or clauses of a passage."""
