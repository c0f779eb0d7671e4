"""The docket of a case as data, and papers that bear one number of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from casetrack.base.errors import UsageError
from casetrack.base.records.documents import NAMED, Document
from casetrack.base.records.shape import INLINE, Record
from casetrack.extract.papers.docket_sheet import read_entries
from casetrack.graph.paper_sources import by_entry
from casetrack.store.passages import whole_text

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

# The docket of a case: what was filed, when, and which documents of the case it is.


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


def read_docket(collection: Collection, name: str, /) -> Docket:
    """Return the entries of a docket, each with the documents of the case that bear its number.

    Parameters
    ----------
    name
        A document that is a docket: its name or id.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        No document is called so, or several are.
    UsageError
        It is no docket.
    """
    document = collection.document(name)
    if document.legal_detail != "docket":
        raise UsageError(
            f'"{document.name}" is no docket of a court.',
            hint="A docket is the page of a court's system that lists what was filed: save it as "
            "HTML or PDF, ingest it, and name it here.",
        )
    snapshot = collection.workspace.state().snapshot
    entries = read_entries(whole_text(snapshot, document.document_id))
    papers = by_entry(collection.documents(), document.case_number)
    lines = tuple(
        DocketLine(
            e.number,
            e.filed_on,
            e.entered_on,
            e.text,
            tuple(d.name for d in papers.get(e.number or "", ())),
            e.page,
            e.start,
            e.end,
        )
        for e in entries
    )
    return Docket(document, lines)
