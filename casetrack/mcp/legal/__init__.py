"""The edition for lawyers, as AI programs see it: cases, their documents, search with citations."""

from casetrack.mcp.legal.edition import legal_edition

__all__ = ["legal_edition"]
