"""What a document says that it is, and which other documents it names.

A pure function of one document: its chunks with what was found in them, and its row of the ledger.
Who is meant by what is said is a matter of the whole collection, see
:mod:`casetrack.graph.relations.document_links`.
"""

from casetrack.graph.identity.facts import Description, Identity, Saying
from casetrack.graph.identity.read import read_identities

__all__ = ["Description", "Identity", "Saying", "read_identities"]
