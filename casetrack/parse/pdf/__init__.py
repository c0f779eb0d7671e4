"""The format PDF."""
