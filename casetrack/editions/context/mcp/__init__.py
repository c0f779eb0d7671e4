"""MCP and plain HTTP of the edition for developers: search, get, sources."""

from casetrack.editions.context.mcp.edition import context_edition

__all__ = ["context_edition"]
