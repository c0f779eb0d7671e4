"""Reads one document: groups its mentions into entities, and resolves its dates."""

from casetrack.graph.document.read import read_document

__all__ = ["read_document"]
