"""What documents refer to, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records.graph.quote import Quote
from casetrack.base.records.shape import HIDDEN, INLINE, Record, Share, Told, View
from casetrack.base.records.table import Tabular

REFERENCE_TYPES = (
    "document",
    "report",
    "standard",
    "regulation",
    "rule",
    "constitution",
    "case",
    "record",
    "exhibit",
    "section",
    "link",
)
REFERENCE_SORTS = ("citations", "documents", "name")


@dataclass(frozen=True, slots=True)
class Reference(Record):
    """Something that documents refer to.

    Attributes
    ----------
    reference_id
        The same for every way of writing it, such as ``standard:iso-9001-2015``.
    type
        document, report, standard, regulation, rule, constitution, case, record, section, exhibit
        or link.
    citation_count, document_count
        Places that refer to it, and documents that hold them.
    target_document_id, target_document
        The document of the collection that is meant, where exactly one fits.
    """

    SHOWN = ("type", "name", "citation_count", "document_count", "target_document")

    reference_id: str
    type: str
    name: str
    citation_count: int
    document_count: int
    target_document_id: str | None
    target_document: str | None


@dataclass(frozen=True, slots=True)
class Citation(Record):
    """A place that refers to something; *relationship* is what the text says of the two."""

    JSON = ("quote",)
    SHOWN = ("relationship", "snippet", "citation")

    reference: Annotated[Reference, Told(json=False, columns=View("reference_id", "type", "name"))]
    relationship: str
    quote: Annotated[Quote, INLINE]
    confidence: Share

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceCitations(Tabular[Citation], Record):
    """What a name refers to, and where it is cited; *matches* as in :class:`EntityMentions`."""

    JSON = ("query", "reference", "score", "other_matches", "total", "citations")

    query: str
    matches: Annotated[tuple[Reference, ...], HIDDEN]
    score: Share
    total: int
    citations: tuple[Citation, ...]

    @property
    def reference(self) -> Reference:
        """The best match."""
        return self.matches[0]

    @property
    def other_matches(self) -> tuple[Reference, ...]:
        """What else the name may stand for."""
        return self.matches[1:]

    def _table(self) -> tuple[type[Citation], Sequence[Citation]]:
        return Citation, self.citations

    def _heading(self) -> str:
        found = self.reference
        return f"{found.name} ({found.type}): {len(self.citations):,} of {self.total:,} citations"
