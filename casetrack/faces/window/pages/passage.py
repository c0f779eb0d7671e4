"""A passage on its page, and documents page by page."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.responses import Response

from casetrack.api.collection.listing import attachments_of, thread_of
from casetrack.api.viewer import open_view
from casetrack.api.viewer.kept import place_of_mark
from casetrack.api.viewer.page import marks_svg, page_body, words_svg
from casetrack.api.viewer.page_picture import page_picture
from casetrack.api.viewer.sheet_grid import sheet_grid
from casetrack.api.viewer.shown import StoredText, stored_text
from casetrack.api.viewer.source import find_source
from casetrack.api.viewer.view import about_source
from casetrack.base.errors import CaseTrackError
from casetrack.faces.window.drawings import words_of
from casetrack.faces.window.pages.base import Page, document_names
from casetrack.faces.window.pages.searching import MOST, Asked
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.api.collection.listing import ThreadMail
    from casetrack.api.viewer import View
    from casetrack.api.viewer.sheet_grid import SheetGrid
    from casetrack.base.records import Document
    from casetrack.faces.window.visit import Visit

# A page of a document: its picture or its text, and the related lists.

_MOST_SHEETS, _NEAR_MAILS = 400, 15


@dataclass(frozen=True, slots=True)
class Reading:
    """A page of a document.

    Attributes
    ----------
    number
        Page number from 1.
    picture
        Address of its picture; ``None`` if its text is shown.
    has_picture
        Whether it can be drawn, although its text may be shown.
    body
        Its text, if that is shown.
    kind
        ``page``, ``slide``, ``sheet``, ``message``, ``section`` or ``cell``.
    sheets
        The names of a workbook's sheets, by their pages.
    notes
        Warnings for the reader.
    words
        The words over the picture, to select.
    grid
        The part of a sheet that is shown, if its file can be read.
    """

    document: Document
    number: int
    picture: str | None
    has_picture: bool
    body: Markup
    kind: str
    sheets: dict[int, str]
    notes: tuple[str, ...]
    words: Markup
    grid: SheetGrid | None

    @property
    def last(self) -> int:
        """The number of the document's last page."""
        return max(self.document.page_count, 1)


def reading_of(
    visit: Visit, document: Document, number: int, /, *, as_text: bool = False, row: int = 1
) -> Reading:
    """Return a page of a document, or the nearest one; *as_text* avoids the picture.

    *row* is the first row of a sheet.
    """
    collection, words = visit.collection, words_of(visit.texts)
    state = collection.workspace.state()
    number = min(max(number, 1), max(document.page_count, 1))
    source = find_source(collection.folder, document)
    note = about_source(source, document)
    has_picture = source.draws(document)
    drawn = has_picture and not as_text
    stored = StoredText("", "page", {}) if drawn else stored_text(state, document, number, words)
    grid = sheet_grid(state, document, number, row) if stored.kind == "sheet" else None
    letters = words_svg(state, document, number) if drawn else ""
    return Reading(
        document=document,
        number=number,
        picture=picture_address(collection, document, number) if drawn else None,
        has_picture=has_picture,
        body=Markup((grid or stored).html),  # noqa: S704 - the viewer escapes its values
        kind=stored.kind,
        sheets=dict(sorted(stored.sheets.items())[:_MOST_SHEETS]),
        notes=(*((note,) if note else ()), *document.missing),
        words=Markup(letters),  # noqa: S704 - the viewer escapes its values
        grid=grid,
    )


@dataclass(frozen=True, slots=True)
class SecondPage:
    """The second page of a pair: a page of another document, or the problem with it.

    Attributes
    ----------
    asked
        The requested document; empty if none.
    problem, hint
        Error and next step if the document cannot be shown.
    """

    asked: str = ""
    reading: Reading | None = None
    problem: str = ""
    hint: str = ""

    def address(self) -> dict[str, object]:
        """Return the same as the parts of an address."""
        return {"beside": self.asked, "beside_page": self.reading.number if self.reading else ""}


def second_page(visit: Visit, /) -> SecondPage:
    """Return the second page that the address requests."""
    asked = visit.asked("beside")
    if not asked:
        return SecondPage()
    try:
        document = visit.collection.document(asked)
    except CaseTrackError as error:
        return SecondPage(asked, problem=error.message, hint=error.hint or "")
    number = visit.asked_number("beside_page", 1)
    return SecondPage(asked, reading_of(visit, document, number))


def picture_address(collection: Collection, document: Document, page: int, /) -> str:
    """Return the address of a page's picture."""
    where = ("c", collection.name, "picture", document.document_id, document.revision)
    return address(*where, f"{page}.png")


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail of a conversation; of one that is far away, only the head is known."""

    mail: ThreadMail
    is_open: bool
    body: Markup | None = None
    attachments: Sequence[Document] = ()


@dataclass(frozen=True, slots=True)
class OwnMarks:
    """The user's marks on a passage or a document.

    Attributes
    ----------
    target
        Id of the passage or the document.
    known
        All tags of the collection.
    """

    target: str
    starred: bool
    tags: tuple[str, ...]
    known: tuple[str, ...]


def passage(visit: Visit, /) -> Response:
    """Show a passage on its page, with its context."""
    collection, asked = visit.collection, Asked.of(visit)
    state = collection.workspace.state()
    chunk_id = visit.request.path_params["chunk"]
    view = open_view(state, chunk_id, window=1, question=asked.question or None, draw=False)
    place = view.provenance
    is_sheet = place.sheet_name is not None
    grid = sheet_grid(state, view.document, place.page, view=view) if is_sheet else None
    words = words_of(visit.texts)
    body = page_body(view.page, is_sheet=is_sheet, language=place.language, words=words)
    own = (place.document_id, place.page, place.char_start, place.char_end)
    return visit.page(
        "passage.html",
        asked=asked,
        hit=visit.asked_number("hit", 0, low=0, high=MOST),
        most=MOST,
        view=view,
        own=_own_marks(collection, view.chunk.chunk_id, own),
        picture=_marked_picture(collection, view),
        body=Markup(grid.html if grid else body),  # noqa: S704 - the viewer escapes its values
        beside=second_page(visit),
        names=document_names(collection),
    )


def document(visit: Visit, /) -> Response:
    """Show a document page by page, with its table of contents and related documents."""
    collection = visit.collection
    row = collection.document(visit.request.path_params["document"])
    as_text = visit.asked("as") == "text"
    first = visit.asked_number("row", 1)
    reading = reading_of(visit, row, visit.asked_number("page", 1), as_text=as_text, row=first)
    state = collection.workspace.state()
    parent = state.snapshot.documents.get(row.parent_id) if row.parent_id else None
    return visit.page(
        "document.html",
        document=row,
        reading=reading,
        as_text=as_text,
        structure=collection.read.structure(row),
        parent=parent,
        family=collection.read.structure(parent.document_id).attachments if parent else (),
        mails=_conversation(visit, row),
        own=_own_marks(collection, row.document_id, (row.document_id, 0, 0, 0)),
        beside=second_page(visit),
        names=document_names(collection),
    )


def _conversation(visit: Visit, document: Document) -> list[Mail]:
    """Return the mails of a thread in order; of a long one, those near the mail have a text."""
    state, words = visit.collection.workspace.state(), words_of(visit.texts)
    thread = thread_of(state, document)
    own = document.document_id
    at = next((n for n, m in enumerate(thread) if m.document.document_id == own), 0)
    near = range(at - _NEAR_MAILS, at + _NEAR_MAILS)

    def mail(number: int, one: ThreadMail) -> Mail:
        if number not in near:
            return Mail(one, is_open=False)
        body = Markup(stored_text(state, one.document, 1, words).html)  # noqa: S704 - escaped
        return Mail(one, number == at, body, attachments_of(state, one.document))

    return [mail(number, one) for number, one in enumerate(thread)]


def picture(visit: Visit, /) -> Response:
    """Draw a page of a document."""
    params = visit.request.path_params
    state = visit.collection.workspace.state()
    drawn = page_picture(state, params["document"], params["page"])
    tag = f'"{hashlib.blake2b(drawn.png, digest_size=12).hexdigest()}"'
    # The address contains the revision, so its content never changes.
    headers = {"etag": tag, "cache-control": "private, max-age=604800, immutable"}
    return Response(drawn.png, media_type="image/png", headers=headers)


def _own_marks(collection: Collection, target: str, place: tuple[str, int, int, int]) -> OwnMarks:
    """Return the star and the tags of a place."""
    marks = [m.mark for m in collection.marks.all() if m.state == "in force"]
    own = [mark for mark in marks if place_of_mark(mark) == place]
    return OwnMarks(
        target,
        any(mark.kind == "star" for mark in own),
        tuple(dict.fromkeys(mark.value for mark in own if mark.kind == "tag")),
        tuple(sorted({m.value for m in marks if m.kind == "tag"}, key=str.casefold)),
    )


def _marked_picture(collection: Collection, view: View) -> dict[str, object] | None:
    """Return the address of the page's picture, and the marks over it."""
    p = view.provenance
    if not (view.has_picture and p.page_width and p.page_height):
        return None
    words = words_svg(collection.workspace.state(), view.document, p.page)
    return {
        "source": picture_address(collection, view.document, p.page),
        "width": round(p.page_width),
        "height": round(p.page_height),
        # The viewer escapes the words.
        "marks": Markup(marks_svg(view, p.page_width, p.page_height) + words),  # noqa: S704
    }


PAGES = (
    Page(
        "passage",
        "passage/{chunk}",
        passage,
        of=("chunk", "context", "traverse"),
        title="tab.search",
    ),
    Page(
        "document",
        "document/{document}",
        document,
        of=("document", "chunks", "pages", "structure"),
        title="tab.documents",
    ),
    Page("picture", "picture/{document}/{revision}/{page:int}.png", picture),
)
