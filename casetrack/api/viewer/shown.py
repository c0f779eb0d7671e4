"""A page for a program with a screen: its picture with marks as an overlay, or its text.

:mod:`page_picture` paints the marks into the picture instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.api.viewer.page import marks_svg, page_body
from casetrack.api.viewer.page_picture import page_picture
from casetrack.api.viewer.page_text import COLUMNS, page_text
from casetrack.api.viewer.source import find_source
from casetrack.api.viewer.symbols import ENGLISH, Words
from casetrack.api.viewer.view import MAILS, about_source, open_view
from casetrack.base.arguments import require_pages
from casetrack.store.passages import page_rows

if TYPE_CHECKING:
    from casetrack.base.records import Chunk, Document
    from casetrack.store.workspace import State


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page to show; *page* counts from 1.

    Attributes
    ----------
    kind, sheet
        The unit that counts as a page (``page``, ``slide``, ...), and the name of a sheet.
    chunk
        The passage that is marked on it, or ``None``.
    answers
        The parts of the passage that answer the question, with their citations.
    png
        The page without marks; ``None`` if it is shown as text.
    marks
        An ``svg`` element over the picture; empty if nothing is marked.
    body
        The page's text as escaped HTML with the passage marked, if there is no picture;
        ``page.css`` styles it.
    before, after
        Ids of the neighbours of the passage.
    notes
        Sentences for the viewer of the page.
    """

    document: Document
    page: int
    kind: str
    sheet: str | None
    png: bytes | None
    body: str
    notes: tuple[str, ...]
    chunk: Chunk | None = None
    answers: tuple[tuple[str, str], ...] = ()
    marks: str = ""
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class StoredText:
    """The stored text of a page as escaped HTML; ``page.css`` styles it.

    *kind* is ``page``, ``slide``, ``sheet``, ``message``, ``section`` or ``cell``; *sheets* are the
    names of all sheets of a workbook, in page order.
    """

    html: str
    kind: str
    sheets: dict[int, str]


def shown_passage(
    state: State, chunk_id: str, /, *, question: str | None = None, password: str | None = None
) -> ShownPage:
    """Return the page of a passage; parts that answer *question* are marked strongly.

    *password* opens a protected file and is not stored. Raises ``ChunkNotFound`` if no live chunk
    has this id.
    """
    view = open_view(state, chunk_id, question=question, draw=False)
    place = view.provenance
    png, notes = None, view.notes
    if view.has_picture:
        png, notes = _drawn(state, view.document, place.page, password)
    body, marks = "", ""
    if png is None:
        is_sheet = place.sheet_name is not None
        body = page_body(view.page, is_sheet=is_sheet, language=place.language)
    elif place.page_width and place.page_height:
        marks = marks_svg(view, place.page_width, place.page_height)
    return ShownPage(
        document=view.document,
        page=place.page,
        kind=place.counted_as,
        sheet=place.sheet_name,
        chunk=view.chunk,
        answers=tuple((part.text, part.citation) for part in view.pinpoint),
        png=png,
        marks=marks,
        body=body,
        before=view.window.before[-1].chunk_id if view.window.before else None,
        after=view.window.after[0].chunk_id if view.window.after else None,
        notes=(*view.chunk.provenance.notes, *notes),
    )


def shown_page(
    state: State, document: str, page: int, /, *, password: str | None = None
) -> ShownPage:
    """Return a page (from 1) of a document (name, path or id).

    *password* opens a protected file and is not stored. Raises ``DocumentNotFound`` or
    ``AmbiguousName`` if no document, or more than one, has this name; ``UsageError`` if the
    document has no such page, or no stored content that can be shown.
    """
    record = state.document(document)
    require_pages(record, page, page)
    source = find_source(state.workspace.folder, record)
    note = about_source(source, record)
    png: bytes | None = None
    notes: tuple[str, ...] = (note,) if note else ()
    if source.draws(record):
        png, notes = _drawn(state, record, page, password)
    stored = stored_text(state, record, page) if png is None else StoredText("", "page", {})
    return ShownPage(
        document=record,
        page=page,
        kind=stored.kind,
        sheet=stored.sheets.get(page),
        png=png,
        body=stored.html,
        notes=notes,
    )


def _drawn(
    state: State, document: Document, page: int, password: str | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return the picture of a page, ``None`` if it cannot be drawn, and notes on it."""
    picture = page_picture(state, document.document_id, page, password=password)
    return None if picture.is_text else picture.png, picture.notes


def stored_text(
    state: State, document: Document, page: int, /, words: Words = ENGLISH
) -> StoredText:
    """Return the stored text of a page; without text, the HTML of an empty page."""
    columns = (*COLUMNS, "page_kind", "sheet_name", "language")
    rows = page_rows(state.snapshot, document, page, columns)
    first = rows[0] if rows else {"sheet_name": None, "language": None, "page_kind": None}
    is_sheet = first["sheet_name"] is not None
    text = page_text(rows, 0, 0, is_mail=document.format in MAILS)
    body = page_body(text, is_sheet=is_sheet, language=first["language"], words=words)
    return StoredText(
        html=body,
        kind="sheet" if is_sheet else first["page_kind"] or "page",
        sheets=_sheets(state, document) if is_sheet else {},
    )


def _sheets(state: State, document: Document) -> dict[int, str]:
    table = state.snapshot.scan(("page", "sheet_name"), revisions=[document.revision])
    named = set(zip(table["page"].to_pylist(), table["sheet_name"].to_pylist(), strict=True))
    return dict(sorted((number, name) for number, name in named if name is not None))
