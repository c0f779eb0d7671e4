"""Reads one document: which of its mentions are the same entity, and what its dates mean."""

from casetrack.graph.document.read import read_document

__all__ = ["read_document"]
