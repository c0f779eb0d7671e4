"""Draws the fictional case file of ``data-samples/files`` from the texts in ``text/``."""
