"""Answers to lists, counts, sums and extremes, computed from the map and from tables."""
