"""A page of a document as it is read: its picture or its text, and what belongs with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from casetrack.api.viewer.shown import stored_text
from casetrack.api.viewer.source import find_source
from casetrack.api.viewer.view import about_source
from casetrack.base.errors import CaseTrackError
from casetrack.faces.window.visit import address
from casetrack.parse.render import PICTURE_FORMATS

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.faces.window.visit import Visit
    from casetrack.store.workspace import State

_MOST_SHEETS = 400
"""Sheets and slides that are listed by name."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A page of a document.

    Attributes
    ----------
    document, number
        Which one it is, from 1.
    picture
        Where it is drawn; ``None`` where its text is shown.
    has_picture
        Whether it can be drawn, though its text may be shown.
    body
        Its text, where that is shown.
    kind
        ``page``, ``slide``, ``sheet``, ``message`` or ``section``.
    sheets
        Of a workbook the names of its sheets, by their pages.
    notes
        What the reader must know, in sentences.
    """

    document: Document
    number: int
    picture: str | None
    has_picture: bool
    body: Markup
    kind: str
    sheets: dict[int, str]
    notes: tuple[str, ...]

    @property
    def last(self) -> int:
        """The number of the document's last page."""
        return max(self.document.page_count, 1)


def reading_of(
    collection: Collection, document: Document, number: int, /, *, as_text: bool = False
) -> Reading:
    """Return a page of a document, the nearest where there is none of this number.

    Parameters
    ----------
    as_text
        Show its text, also where it can be drawn.
    """
    number = min(max(number, 1), max(document.page_count, 1))
    state = collection.workspace.state()
    source = find_source(collection.folder, document)
    note = about_source(source, document)
    has_picture = document.format in PICTURE_FORMATS and source.path is not None
    drawn = has_picture and not as_text
    body, kind, sheets = (Markup(), "page", {}) if drawn else _text_of(state, document, number)
    return Reading(
        document=document,
        number=number,
        picture=picture_address(collection, document, number) if drawn else None,
        has_picture=has_picture,
        body=body,
        kind=kind,
        sheets=sheets,
        notes=(*((note,) if note else ()), *document.missing),
    )


@dataclass(frozen=True, slots=True)
class Beside:
    """What is shown beside a page: a page of another document, or why it cannot be.

    Attributes
    ----------
    asked
        What was asked for; empty where nothing was.
    reading
        The page.
    problem, hint
        Why there is none, and what to do.
    """

    asked: str = ""
    reading: Reading | None = None
    problem: str = ""
    hint: str = ""

    def address(self) -> dict[str, object]:
        """Return the same as the parts of an address."""
        return {"beside": self.asked, "beside_page": self.reading.number if self.reading else ""}


def beside(visit: Visit, /) -> Beside:
    """Return what the address asks to show beside its page."""
    asked = visit.asked("beside")
    if not asked:
        return Beside()
    try:
        document = visit.collection.document(asked)
    except CaseTrackError as error:
        return Beside(asked, problem=error.message, hint=error.hint or "")
    number = visit.asked_number("beside_page", 1)
    return Beside(asked, reading_of(visit.collection, document, number))


def picture_address(collection: Collection, document: Document, page: int, /) -> str:
    """Return where a page of a document is drawn."""
    where = ("c", collection.name, "picture", document.document_id, document.revision)
    return address(*where, f"{page}.png")


def _text_of(state: State, document: Document, number: int) -> tuple[Markup, str, dict[int, str]]:
    """Return the stored text of a page, of what kind the page is, and the names of the sheets."""
    stored = stored_text(state, document, number)
    text = Markup(stored.html)  # noqa: S704 - the viewer escapes what it writes
    return text, stored.kind, dict(sorted(stored.sheets.items())[:_MOST_SHEETS])
