"""The docket of a case: filings, dates, and their documents in the case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records.documents import NAMED, Document
from casetrack.base.records.shape import INLINE, Record


@dataclass(frozen=True, slots=True)
class DocketLine(Record):
    """An entry of a docket."""

    number: str | None  # ``None``: an entry without a paper
    filed_on: str | None  # YYYY-MM-DD; ``None``: an invalid date
    entered_on: str | None
    text: str
    papers: tuple[str, ...]  # Documents with this number; several are candidates
    page: int
    start: int  # Code points of the page
    end: int


@dataclass(frozen=True, slots=True)
class Docket(Record):
    """The entries of a docket in its order; *document* is its file."""

    document: Annotated[Document, NAMED, INLINE]
    lines: tuple[DocketLine, ...]
