"""The docket of a case: what was filed, when, and which documents of the case it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records.documents import NAMED, Document
from casetrack.base.records.shape import INLINE, Record


@dataclass(frozen=True, slots=True)
class DocketLine(Record):
    """An entry.

    Attributes
    ----------
    number
        Of the entry; ``None`` for one without a paper.
    filed_on, entered_on
        YYYY-MM-DD; ``None`` for a day that no calendar has.
    text
        What was filed, in the words of the docket.
    papers
        Names of the documents of the case that bear this number; of several it is not known which
        one is meant.
    page, start, end
        Where the text stands: code points into the text of the page.
    """

    number: str | None
    filed_on: str | None
    entered_on: str | None
    text: str
    papers: tuple[str, ...]
    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Docket(Record):
    """The entries of a docket in its order; *document* is the file that they were read from."""

    document: Annotated[Document, NAMED, INLINE]
    lines: tuple[DocketLine, ...]
