"""The edition for people who code, as AI programs and plain HTTP see it: search, get, sources."""

from casetrack.editions.context.mcp.edition import context_edition

__all__ = ["context_edition"]
