"""Formats of numbers and dates in sheets and charts."""
