"""Which documents a search looks at: those that are named, of a kind, of a time.

Documents are given by name, path or id. A kind is a type of document (contract, report, ...) or a
format (pdf, docx, ...). The date of a document is its own: when it was written or sent by its own
account, or else last changed; only where a file tells neither, it is the file's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack import names
from casetrack.errors import UsageError
from casetrack.extract.typed_dates import day_span
from casetrack.records import DOCUMENT_TYPES, Document
from casetrack.workspace.arguments import as_documents, day_text, several

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date, datetime

    from casetrack.workspace import State
    from casetrack.workspace.arguments import DocumentRef

_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Filter:
    """What documents are to be searched; all of it must hold.

    Attributes
    ----------
    documents
        One document or several, each by name, path or id, or itself.
    kinds
        Types or formats; one of them is enough.
    since, until
        First and last day, as a date or text such as ``2024-03-12``, ``2024-03`` or ``2024``.
    """

    documents: Iterable[DocumentRef] | DocumentRef | None = None
    kinds: Iterable[str] | str | None = None
    since: str | date | None = None
    until: str | date | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents that a filter leaves.

    Attributes
    ----------
    documents
        Their ids; ``None`` where there is no filter.
    notes
        What the user should know of the choice.
    """

    documents: frozenset[str] | None
    notes: tuple[str, ...] = ()

    @property
    def only(self) -> str | None:
        """The one document that is left, where it is only one."""
        return next(iter(self.documents)) if self.documents and len(self.documents) == 1 else None


def choose(state: State, wanted: Filter, /) -> Chosen:
    """Return the documents of a collection that a filter leaves.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        There is no such document (near names are suggested), or several bear the name.
    UsageError
        There is no such kind, a date cannot be read, or the first day comes after the last.
    """
    left = list(state.snapshot.documents.values())
    notes, told = list[str](), list[str]()
    if wanted.documents is not None:
        named = {state.document(each).document_id for each in as_documents(wanted.documents)}
        left = [d for d in left if d.document_id in named]
        told.append(f"{len(left):,} named")
    if wanted.kinds is not None:
        kinds = _kinds(several(wanted.kinds), state.snapshot.documents.values())
        left = [d for d in left if kinds & _kinds_of(d)]
        told.append(f"{len(left):,} of the kind {' or '.join(sorted(kinds))}")
    if wanted.since is not None or wanted.until is not None:
        fits, days = _within(wanted.since, wanted.until)
        by_file = sum(not _own(d) for d in left)
        if by_file:
            notes.append(
                f"{by_file:,} of {len(left):,} documents tell no date of their own; the date of "
                "their file counted."
            )
        left = [d for d in left if fits(document_day(d))]
        told.append(f"{len(left):,} {days}")
    if not told:
        return Chosen(None)
    if not left and state.snapshot.documents:
        notes.append(
            f"No document passes the filter: {', of these '.join(told)}. Leave a part of it out; "
            "`casetrack documents` (list_documents) shows what is there."
        )
    return Chosen(frozenset(d.document_id for d in left), tuple(notes))


def document_day(document: Document, /) -> str:
    """Return the day of a document, ``YYYY-MM-DD``; see the module for which it is."""
    return (_own(document) or document.file_modified_at).date().isoformat()


def _own(document: Document) -> datetime | None:
    return document.content_created_at or document.content_modified_at


def _kinds_of(document: Document) -> set[str]:
    return {document.document_type or _OTHER, document.format.casefold()}


def _kinds(asked: Iterable[str], documents: Iterable[Document]) -> frozenset[str]:
    """Return kinds as they are written here.

    Raises
    ------
    UsageError
        One of them is unknown.
    """
    here = Counter(kind for d in documents for kind in _kinds_of(d))
    known = {*DOCUMENT_TYPES, *here}
    found = set[str]()
    for kind in asked:
        written = kind.strip().casefold().removeprefix(".")
        if written not in known and written.removesuffix("s") in known:
            written = written.removesuffix("s")
        if written not in known:
            near = names.near(written, [names.Entry(k, k) for k in sorted(known)])
            meant = f" Did you mean {' or '.join(n for n, _ in near)}?" if near else ""
            raise UsageError(
                f'Unknown kind of document "{names.shown(kind)}".{meant}',
                hint=f"Kinds in this collection: {', '.join(k for k, _ in here.most_common())}.",
            )
        found.add(written)
    return frozenset(found)


def _within(
    since: str | date | None, until: str | date | None
) -> tuple[Callable[[str], bool], str]:
    """Return whether a day lies in a span of time, and the span in words."""
    start, end = day_text(since), day_text(until)
    first = day_span(start, "since")[0] if start is not None else ""
    last = day_span(end, "until")[1] if end is not None else "9999-12-31"
    if first > last:
        raise UsageError(
            f"No day is after {first} and before {last}.", hint="Exchange since and until."
        )
    words = [f"since {first}"] * (start is not None) + [f"until {last}"] * (end is not None)
    return lambda day: first <= day <= last, " and ".join(words)
