"""Collects the view of a passage: its page, its neighbours, its source."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.page_text import COLUMNS, PageText, page_text
from casetrack.api.viewer.source import CHUNK_FACT, SourceFile, find_source, with_facts
from casetrack.base.arguments import within
from casetrack.base.config import ParseLimits
from casetrack.base.errors import CaseTrackError, FileEncrypted, FileError, Opt, ParseFailed
from casetrack.base.records.reading import NO_LOCATION, Pinpoint
from casetrack.parse.base import ReadOptions
from casetrack.parse.render import (
    PICTURE_FORMATS,
    TEXT_PAGE_EXTENSION,
    PageImage,
    Piece,
    TextBlock,
    TextPage,
    mark_boxes,
)
from casetrack.parse.workers.pool import MAX_DRAW_SECONDS, drawing_pool
from casetrack.search.pinpoint.mail_heads import without_head
from casetrack.search.search import answer_within
from casetrack.store.passages import page_rows

if TYPE_CHECKING:
    from casetrack.base.config import Settings
    from casetrack.base.provenance import Box, Provenance
    from casetrack.base.records import Chunk, ChunkWindow, Document
    from casetrack.store.workspace import State

_DPI = 144.0
_NEAR_CHARS = 4000
"""Characters of text that are drawn on each side of the passage, without a picture of the page."""
MAILS = frozenset({"eml", "msg"})


@dataclass(frozen=True, slots=True)
class View:
    """A passage, its page and its neighbours.

    Attributes
    ----------
    parent
        The document that this one is attached to.
    window
        The passage and its neighbours.
    source
        The file of the document, if it is unchanged.
    has_picture
        Whether the page's format can be drawn, and its file exists.
    notes
        Reasons for a missing picture, or that the picture is of a copy.
    pinpoint
        The part that answers the question; it is marked strongly.
    answer
        The value that answers it, if any.
    """

    collection: str
    document: Document
    parent: Document | None
    window: ChunkWindow
    source: SourceFile
    page: PageText
    image: PageImage | None
    has_picture: bool
    notes: tuple[str, ...]
    pinpoint: tuple[Pinpoint, ...] = ()
    answer: str = ""

    @property
    def strong(self) -> list[Box]:
        """Rectangles of the lines with the answer."""
        return [b.box for part in self.pinpoint for b in part.place.line_boxes]

    @property
    def quote(self) -> tuple[str, str]:
        """Text and citation of a copy: of a mail the best answer or the body, else the passage."""
        if self.pinpoint and self.document.format in MAILS:
            return self.pinpoint[0].text, self.pinpoint[0].citation
        return without_head(self.chunk.text), self.chunk.citation

    @property
    def chunk(self) -> Chunk:
        """The passage."""
        return self.window.chunk

    @property
    def provenance(self) -> Provenance:
        """Source of the passage."""
        return self.window.chunk.provenance

    @property
    def boxes(self) -> list[Box]:
        """Rectangles of the passage's lines, in points of the page."""
        return [b.box for b in self.provenance.line_boxes]

    def png(self) -> bytes:
        """Return the page with the passage marked; without a picture, a drawing of its text.

        Raises ``FileError`` if the text cannot be drawn.
        """
        if self.image is not None:
            png = mark_boxes(self.image, self.boxes, strong=self.strong)
        else:
            png = draw_text(self._as_text()).png
        facts = {"Software": "CaseTrack", "Title": self.chunk.citation}
        return with_facts(png, facts | {CHUNK_FACT: self.chunk.chunk_id})

    def _as_text(self) -> TextPage:
        place = self.provenance
        low, high = place.char_start - _NEAR_CHARS, place.char_end + _NEAR_CHARS
        drawn = (
            TextBlock(
                tuple(Piece(p.text, "mark" if p.is_marked else "") for p in block.pieces()),
                block.kind,
            )
            for block in self.page.blocks
            if block.start < high and block.start + len(block.text) > low
        )
        notes = (*self.notes, *self.provenance.notes)
        return TextPage(self.chunk.citation, notes, tuple(drawn))


def open_view(
    state: State,
    chunk_id: str,
    /,
    *,
    window: int = 1,
    password: str | None = None,
    question: str | None = None,
    draw: bool = True,
) -> View:
    """Collect the view of a passage.

    Raises ``ChunkNotFound`` if no live chunk has this id; ``UsageError`` if *window* is less than
    0.

    Parameters
    ----------
    window
        Number of neighbours on each side, 0 or more.
    question
        Mark the parts that answer it strongly; ``None`` marks the whole passage alike.
    draw
        Draw the page's picture if it has one.
    """
    within("window", window, 0)
    snapshot, workspace = state.snapshot, state.workspace
    around = state.around(chunk_id, window)
    where = around.chunk.provenance
    document = snapshot.documents[where.document_id]
    source = find_source(workspace.folder, document)
    notes = [note] if (note := about_source(source, document)) else []
    located = answer_within(state, around, question) if question else NO_LOCATION
    pinpoint = located.pinpoint
    start, end = where.char_start, where.char_end
    if document.format in MAILS:
        start = end - len(without_head(around.chunk.text))
        if pinpoint:
            start, end = pinpoint[0].char_start, pinpoint[0].char_end
    image = None
    has_picture = document.format in PICTURE_FORMATS and source.path is not None
    if draw and has_picture and source.path is not None:
        passwords = (password,) if password else ()
        options = ReadOptions(passwords=passwords, models_dir=workspace.settings.models_dir)
        try:
            image = draw_page(workspace.settings.parse, options, source.path, where.page)
        except FileError as error:
            notes.append(no_picture(error))
    return View(
        collection=workspace.name,
        document=document,
        parent=snapshot.documents.get(document.parent_id) if document.parent_id else None,
        window=around,
        source=source,
        page=page_text(
            page_rows(snapshot, document, where.page, COLUMNS),
            start,
            end,
            is_mail=document.format in MAILS,
            strong=[(part.char_start, part.char_end) for part in pinpoint],
        ),
        image=image,
        has_picture=has_picture,
        notes=tuple(notes),
        pinpoint=pinpoint,
        answer=located.answer.text if located.answer else "",
    )


def about_source(source: SourceFile, document: Document, /) -> str | None:
    """Describe changes of the document's file, and their effect on the view."""
    if source.note is None:
        return None
    if document.format not in PICTURE_FORMATS:
        return f"{source.note} The text below is the old content."
    if source.path is not None:
        return f"{source.note} The picture shows the collection's copy."
    remedy = " Ingest it again to search its current content." if source.is_there else ""
    return f"{source.note} Its page is shown as stored text, not as a picture.{remedy}"


def no_picture(error: FileError, /) -> str:
    """Return a sentence on why a page has no picture."""
    if isinstance(error, FileEncrypted):
        return (
            "The file is protected, so its page is shown as stored text. Enter its password to see "
            f"the page: {Opt('password TEXT')}."
        )
    return f"The page cannot be drawn, so it is shown as stored text. {error.message}"


def draw_page(
    limits: ParseLimits, options: ReadOptions, path: Path, page: int, /, *, dpi: float = _DPI
) -> PageImage | None:
    """Draw one page (from 1) in a worker process, which is reused for later pages.

    *limits* are the worker's memory and seconds per page, at most
    :data:`casetrack.parse.workers.pool.MAX_DRAW_SECONDS`; *options* are passwords and models.
    Raises ``FileError`` if it cannot be drawn.
    """
    short = replace(limits, timeout_seconds=min(limits.timeout_seconds, MAX_DRAW_SECONDS))
    pool = drawing_pool(limits.memory_mb)
    return pool.render(path, page, options=replace(options, limits=short), dpi=dpi)


class PageDrawer:
    """Draws pages of one collection; every page is drawn and every file is found once.

    A page may take *each* seconds; after *total* seconds :attr:`is_late` is true.
    """

    def __init__(self, folder: Path, settings: Settings, each: float, total: float) -> None:
        bound = min(settings.parse.timeout_seconds, each)
        self._folder, self._deadline = folder, time.monotonic() + total
        self._limits = replace(settings.parse, timeout_seconds=bound)
        self._options = ReadOptions(models_dir=settings.models_dir)
        self._sources: dict[str, SourceFile] = {}
        self._pages: dict[tuple[str, int], tuple[PageImage | None, str]] = {}

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._deadline

    def page(self, document: Document, page: int, /, *, dpi: float) -> tuple[PageImage | None, str]:
        """Return a page, and a note on its file; without a picture, the note states why."""
        key = (document.document_id, page)
        if key not in self._pages:
            self._pages[key] = self._drawn(document, page, dpi)
        return self._pages[key]

    def _drawn(self, document: Document, page: int, dpi: float) -> tuple[PageImage | None, str]:
        if document.document_id not in self._sources:
            self._sources[document.document_id] = find_source(self._folder, document)
        source = self._sources[document.document_id]
        note = about_source(source, document) or ""
        if source.path is None:
            return None, note
        try:
            return draw_page(self._limits, self._options, source.path, page, dpi=dpi), note
        except FileError as error:
            return None, no_picture(error)
        except CaseTrackError as error:
            return None, f"There is no picture of the page. {error.message}"


def draw_text(text: TextPage, /) -> PageImage:
    """Draw text on a page that is as high as the text needs.

    Raises ``FileError`` if it cannot be drawn.
    """
    with tempfile.TemporaryDirectory(prefix="casetrack-") as folder:
        path = Path(folder) / f"passage{TEXT_PAGE_EXTENSION}"
        path.write_bytes(text.pack())
        image = draw_page(ParseLimits(), ReadOptions(), path, 1)
    if image is None:
        raise ParseFailed(path, "passage", "its text cannot be drawn")
    return image
