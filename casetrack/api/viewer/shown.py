"""A page as a program with a screen shows it: its picture, and what lies over it or stands for it.

Unlike :mod:`page_picture`, which paints marks into a picture for who only looks,
the marks are a drawing of their own, and a page that cannot be drawn comes as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.api.viewer.page import marks_svg
from casetrack.api.viewer.page_body import page_body
from casetrack.api.viewer.page_picture import page_picture
from casetrack.api.viewer.page_text import COLUMNS, page_text
from casetrack.api.viewer.source import find_source
from casetrack.api.viewer.view import about_source, open_view
from casetrack.base.arguments import require_pages
from casetrack.store.passages import page_rows

if TYPE_CHECKING:
    from casetrack.base.records import Chunk, Document
    from casetrack.store.workspace import State


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page to show.

    Attributes
    ----------
    document, page
        What it is of; *page* counts from 1.
    kind, sheet
        What is counted as a page (``page``, ``slide``, ...), and the name of a workbook's sheet.
    chunk
        The passage that is marked on it, or ``None``.
    answers
        The parts of the passage that answer the question, with their citations.
    png
        The page as it looks, without marks; ``None`` where it comes as text.
    marks
        An ``svg`` element to lie over the picture; empty where nothing is marked on it.
    body
        The page's text as HTML with the passage marked, where there is no picture. It is styled by
        ``page.css``; nothing of a document gets through as markup.
    before, after
        Ids of the neighbours of the passage.
    notes
        What who looks at it must know, in sentences.
    """

    document: Document
    page: int
    kind: str
    sheet: str | None
    chunk: Chunk | None
    answers: tuple[tuple[str, str], ...]
    png: bytes | None
    marks: str
    body: str
    before: str | None
    after: str | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredText:
    """The stored text of a page.

    Attributes
    ----------
    html
        The text, styled by ``page.css``; nothing of a document gets through as markup.
    kind
        ``page``, ``slide``, ``sheet``, ``message`` or ``section``.
    sheets
        Of a workbook the names of all its sheets, by their pages.
    """

    html: str
    kind: str
    sheets: dict[int, str]


def shown_passage(
    state: State, chunk_id: str, /, *, question: str | None = None, password: str | None = None
) -> ShownPage:
    """Return the page on which a passage stands.

    Parameters
    ----------
    question
        What the passage is to answer: the parts of it that do are marked strongly.
    password
        Opens a protected file; it is kept nowhere.

    Raises
    ------
    ChunkNotFound
        No live chunk has this id.
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
    """Return a page of a document.

    Parameters
    ----------
    document
        Name, path or id.
    page
        From 1.
    password
        Opens a protected file; it is kept nowhere.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        No document is called so, or several are.
    UsageError
        The document has no such page, or nothing of it is stored that could be shown.
    """
    found = state.document(document)
    require_pages(found, page, page)
    source = find_source(state.workspace.folder, found)
    note = about_source(source, found)
    png: bytes | None = None
    notes: tuple[str, ...] = (note,) if note else ()
    if source.draws(found):
        png, notes = _drawn(state, found, page, password)
    stored = stored_text(state, found, page) if png is None else StoredText("", "page", {})
    return ShownPage(
        document=found,
        page=page,
        kind=stored.kind,
        sheet=stored.sheets.get(page),
        chunk=None,
        answers=(),
        png=png,
        marks="",
        body=stored.html,
        before=None,
        after=None,
        notes=notes,
    )


def _drawn(
    state: State, document: Document, page: int, password: str | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return the picture of a page, ``None`` where it cannot be drawn, and what is said of that."""
    picture = page_picture(state, document.document_id, page, password=password)
    return None if picture.is_text else picture.png, picture.notes


def stored_text(state: State, document: Document, page: int, /) -> StoredText:
    """Return the stored text of a page; of one without any the HTML is that of an empty page."""
    columns = (*COLUMNS, "page_kind", "sheet_name", "language")
    rows = page_rows(state.snapshot, document, page, columns)
    first = rows[0] if rows else {"sheet_name": None, "language": None, "page_kind": None}
    is_sheet = first["sheet_name"] is not None
    body = page_body(page_text(rows, 0, 0), is_sheet=is_sheet, language=first["language"])
    return StoredText(
        html=body,
        kind="sheet" if is_sheet else first["page_kind"] or "page",
        sheets=_sheets(state, document) if is_sheet else {},
    )


def _sheets(state: State, document: Document) -> dict[int, str]:
    table = state.snapshot.scan(("page", "sheet_name"), revisions=[document.revision])
    named = set(zip(table["page"].to_pylist(), table["sheet_name"].to_pylist(), strict=True))
    return dict(sorted((number, name) for number, name in named if name is not None))
