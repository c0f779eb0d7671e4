"""Self-descriptions of a document, and its claims about other documents.

A pure function of one document: its chunks with their facts, and its ledger row. The documents that
the claims refer to are resolved over the whole collection, see
:mod:`casetrack.graph.relations.document_links`.
"""

from casetrack.graph.identity.facts import Claim, Description, Identity
from casetrack.graph.identity.read import read_identities

__all__ = ["Claim", "Description", "Identity", "read_identities"]
