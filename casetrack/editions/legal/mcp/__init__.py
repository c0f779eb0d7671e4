"""The edition for lawyers, as AI programs see it: cases, their documents, search with citations."""

from casetrack.editions.legal.mcp.edition import legal_edition

__all__ = ["legal_edition"]
