"""The edition for people who code, as AI programs and plain HTTP see it: search, get, sources."""

from casetrack.mcp.context.edition import context_edition

__all__ = ["context_edition"]
