"""MCP of the legal edition: cases, documents, search with citations."""

from casetrack.editions.legal.mcp.edition import legal_edition

__all__ = ["legal_edition"]
