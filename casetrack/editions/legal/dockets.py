"""The docket of a case as data, and papers that bear one number of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.editions.legal.records.docket import Docket, DocketLine
from casetrack.extract.papers.docket_header import case_key
from casetrack.extract.papers.docket_sheet import read_entries
from casetrack.store.whole_text import whole_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document


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
    papers = _by_entry(collection.documents(), document.case_number)
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


def _by_entry(documents: Sequence[Document], number: str | None) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in sorted(documents, key=lambda d: (d.name.casefold(), d.document_id)):
        if document.docket_entry and _of_case(document, number):
            found.setdefault(document.docket_entry, []).append(document)
    return found


def _of_case(document: Document, number: str | None) -> bool:
    one, other = document.case_number, number
    return one is not None and other is not None and case_key(one) == case_key(other)


def same_entry(documents: Sequence[Document], document: Document, /) -> tuple[Document, ...]:
    """Return the other documents that bear the same number of the same docket.

    They are told of, never joined: one may be a copy, or one of the numbers misread.
    """
    if not document.docket_entry:
        return ()
    alike = _by_entry(documents, document.case_number).get(document.docket_entry, [])
    return tuple(d for d in alike if d.document_id != document.document_id)
