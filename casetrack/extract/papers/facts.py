"""Legal facts of a document: the legal columns of ``documents``."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from casetrack.base.records.documents import LegalType, Party

CAPTION_READER = 21
"""Increase with every change of the legal columns, or of those of the identity card."""


@dataclass(frozen=True, slots=True)
class LegalFacts:
    """The legal columns of ``schemas/v1/documents.toml``; ``None`` if uncertain."""

    legal_type: LegalType | None = None
    legal_detail: str | None = None
    legal_evidence: str | None = None
    legal_title: str | None = None
    case_name: str | None = None
    case_number: str | None = None
    court: str | None = None
    court_id: str | None = None
    judge: str | None = None
    filed_on: str | None = None
    docket_entry: str | None = None
    parties: tuple[Party, ...] | None = None
    witness: str | None = None
    exhibit: str | None = None
    own_citations: tuple[str, ...] | None = None

    def typed(self, kind: LegalType, detail: str | None, proof: str, /) -> LegalFacts:
        """Return them with another type and its evidence, after the evidence so far."""
        evidence = "; ".join(filter(None, (self.legal_evidence, proof)))
        return replace(self, legal_type=kind, legal_detail=detail, legal_evidence=evidence)

    def columns(self) -> dict[str, Any]:
        """Return them by name, and who has read them."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return own | {"caption_reader": CAPTION_READER}


NOT_LEGAL = LegalFacts()
UNREAD: dict[str, Any] = NOT_LEGAL.columns() | {"caption_reader": None}
"""The columns after a failure, which the next reindex reads."""
