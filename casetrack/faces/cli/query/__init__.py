"""``casetrack query``: SQL over collections, once or in a dialogue, in any common format."""

from casetrack.faces.cli.query.command import query

__all__ = ["query"]
