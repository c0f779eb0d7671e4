"""What documents refer to, and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from casetrack.records.table import Tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records.graph.quote import Quote


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that documents refer to.

    Attributes
    ----------
    reference_id
        The same for every way of writing it, such as ``standard:iso-9001-2015``.
    type
        document, report, standard, regulation, case, section, exhibit or link.
    citation_count, document_count
        Places that refer to it, and documents that hold them.
    target_document_id, target_document
        The document of the collection that is meant, where exactly one fits.
    """

    reference_id: str
    type: str
    name: str
    citation_count: int
    document_count: int
    target_document_id: str | None
    target_document: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that refers to something; *relationship* is what the text says of the two."""

    reference: Reference
    relationship: str
    quote: Quote
    confidence: float

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the reference."""
        return self.quote.as_dict() | {
            "relationship": self.relationship,
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceCitations(Tabular[Citation]):
    """What a name refers to, and where it is cited; *matches* as in :class:`EntityMentions`."""

    query: str
    matches: tuple[Reference, ...]
    score: float
    total: int
    citations: tuple[Citation, ...]

    @property
    def reference(self) -> Reference:
        """The best match."""
        return self.matches[0]

    def _table(self) -> tuple[type[Citation], Sequence[Citation]]:
        return Citation, self.citations

    def _heading(self) -> str:
        found = self.reference
        return f"{found.name} ({found.type}): {len(self.citations):,} of {self.total:,} citations"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "query": self.query,
            "reference": self.reference.as_dict(),
            "score": round(self.score, 4),
            "other_matches": [r.as_dict() for r in self.matches[1:]],
            "total": self.total,
            "citations": [c.as_dict() for c in self.citations],
        }
