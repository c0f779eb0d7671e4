"""Whole pages as pictures small enough to send to programs that accept images.

:mod:`pictures` cuts out a small piece; this module shows the whole page, or the stored text of
formats without page pictures.
"""

from __future__ import annotations

import io
import math
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.api.viewer.page_text import COLUMNS, Block, PageText, page_text
from casetrack.api.viewer.source import CHUNK_FACT, SourceFile, find_source, with_facts
from casetrack.api.viewer.view import draw_page, draw_text
from casetrack.base.arguments import require_pages
from casetrack.base.errors import FileEncrypted, FileError, See, UsageError
from casetrack.parse.base import ReadOptions
from casetrack.parse.render import PICTURE_FORMATS, Piece, TextBlock, TextPage, mark_boxes
from casetrack.store.passages import page_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PIL.Image import Image

    from casetrack.base.provenance import Box
    from casetrack.base.records import Chunk, Document
    from casetrack.store.workspace import State

MAX_SIDE = 1600
"""Pixels of the longer side: enough to read a printed page, and the maximum of most models."""
_DPI = 136.0
"""With it printed pages (A4, Letter) are not scaled down, which would blur them."""
MAX_BYTES = 700_000
"""Maximum of the PNG. Some clients refuse results above a megabyte, and base64 adds a third."""
DRAW_SECONDS = 25.0
"""A page that takes longer to draw is shown as text: callers give up after a minute."""
_AT_ONCE = threading.BoundedSemaphore(2)
"""Each drawing needs memory here too; further ones wait."""
_COLOURS = 32
"""A picture that is too large is first reduced to this many colours, which keeps it legible."""
_MARGIN = 0.95
_AROUND_CHARS = 1_200
"""Characters of text that are drawn on each side of a passage."""
_PAGE_CHARS = 5_000
"""Characters of a page's text that are drawn without a passage."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as a PNG of at most :data:`MAX_BYTES`, with at most :data:`MAX_SIDE` pixels per side.

    *page* counts from 1, *chunk* is the marked passage, *is_text* is true for a picture of stored
    text, and *notes* are sentences for the viewer of the picture.
    """

    png: bytes
    document: Document
    page: int
    chunk: Chunk | None
    is_text: bool
    notes: tuple[str, ...]

    @property
    def citation(self) -> str:
        """The passage's citation, or that of the page."""
        if self.chunk is not None:
            return self.chunk.citation
        return f"{self.document.name}, page {self.page}"


def passage_picture(
    state: State, chunk_id: str, /, *, strong: Sequence[Box] = (), password: str | None = None
) -> PagePicture:
    """Return the page of a passage, with the passage marked.

    The rectangles *strong* are marked strongly, the passage lightly. *password* opens a protected
    file and is not stored. Raises ``ChunkNotFound`` if no live chunk has this id; ``FileError`` if
    neither the page nor its text can be drawn.
    """
    chunk = state.chunk(chunk_id)
    document = state.snapshot.documents[chunk.provenance.document_id]
    place = chunk.provenance
    return _Artist(state, document, place.page, chunk, tuple(strong), password).draw()


def page_picture(
    state: State, document: str, page: int, /, *, password: str | None = None
) -> PagePicture:
    """Return a page (from 1) of a document (name, path or id) as a picture.

    *password* opens a protected file and is not stored. Raises ``UsageError`` if the document has
    no such page, or no stored content that can be drawn; ``FileError`` if neither the page nor its
    text can be drawn.
    """
    record = state.document(document)
    require_pages(record, page, page)
    return _Artist(state, record, page, None, password=password).draw()


@dataclass(frozen=True, slots=True)
class _Artist:
    """Draws one page."""

    state: State
    document: Document
    page: int
    chunk: Chunk | None
    strong: tuple[Box, ...] = ()
    password: str | None = None

    def draw(self) -> PagePicture:
        source = find_source(self.state.workspace.folder, self.document)
        with _AT_ONCE:
            png, notes = self._page_itself(source)
            is_text = png is None
            if png is None:
                png, more = self._stored_text(notes)
                notes += more
        png = _fitted(png)
        picture = PagePicture(png, self.document, self.page, self.chunk, is_text, tuple(notes))
        facts = {"Software": "CaseTrack", "Title": picture.citation}
        if self.chunk is not None:
            facts[CHUNK_FACT] = self.chunk.chunk_id
        return PagePicture(
            with_facts(png, facts), self.document, self.page, self.chunk, is_text, picture.notes
        )

    def _page_itself(self, source: SourceFile) -> tuple[bytes | None, list[str]]:
        """Return the page's picture or ``None``, and notes on it."""
        if self.document.format not in PICTURE_FORMATS:
            shown = "This format has no page pictures; its stored text is shown."
            return None, [*([source.note] if source.note else []), shown]
        if source.path is None:
            remedy = " Ingest it again to update it." if source.is_there else ""
            return None, [f"{source.note} Its stored text is shown, not the page.{remedy}"]
        copied = [f"{source.note} The picture shows the collection's copy."] if source.note else []
        settings = self.state.workspace.settings
        given = (self.password,) if self.password else ()
        options = ReadOptions(passwords=given, models_dir=settings.models_dir)
        limits = settings.parse
        limits = replace(limits, timeout_seconds=min(limits.timeout_seconds, DRAW_SECONDS))
        try:
            image = draw_page(limits, options, source.path, self.page, dpi=_DPI)
        except FileEncrypted:
            tried = ", and the given password is wrong" if given else ""
            return None, [f"The file is protected by a password{tried}; its stored text is shown."]
        except FileError as error:
            reason = f"The page cannot be drawn; its stored text is shown. {error.message}"
            return None, [reason]
        if image is None:
            return None, ["The file has no page pictures; its stored text is shown."]
        boxes = [b.box for b in self.chunk.provenance.line_boxes] if self.chunk else []
        if self.chunk is not None and not boxes:
            copied.append(
                "The position of the passage on the page is unknown, so nothing is marked."
            )
        return mark_boxes(image, boxes, strong=self.strong) if boxes else image.png, copied

    def _stored_text(self, notes: list[str]) -> tuple[bytes, list[str]]:
        """Return a drawing of the page's stored text, and notes on it."""
        text = self._text()
        if not text.blocks:
            raise UsageError(
                f'Page {self.page} of "{self.document.name}" cannot be shown: '
                f"it has no stored text. {' '.join(notes)}".strip(),
                hint=f"Read another page, or show facts about the document with {See('document')}.",
            )
        low, high = 0, _PAGE_CHARS
        if self.chunk is not None:
            low = self.chunk.provenance.char_start - _AROUND_CHARS
            high = self.chunk.provenance.char_end + _AROUND_CHARS
        blocks = tuple(_cut(text.blocks, low, high))
        last = text.blocks[-1]
        is_cut = low > text.blocks[0].start or high < last.start + len(last.text)
        more = ["Only a part of the page's text is shown."] if is_cut else []
        title = self.chunk.citation if self.chunk else f"{self.document.name}, page {self.page}"
        remarks = [*notes, *more, *(self.chunk.provenance.notes if self.chunk else ())]
        return draw_text(TextPage(title, tuple(remarks), blocks)).png, more

    def _text(self) -> PageText:
        rows = page_rows(self.state.snapshot, self.document, self.page, COLUMNS)
        where = self.chunk.provenance if self.chunk else None
        start, end = (where.char_start, where.char_end) if where else (0, 0)
        return page_text(rows, start, end)


def _cut(blocks: tuple[Block, ...], low: int, high: int) -> Iterator[TextBlock]:
    """Yield the text between two offsets of the page's text."""
    for block in blocks:
        first = min(max(low - block.start, 0), len(block.text))
        last = min(max(high - block.start, 0), len(block.text))
        if first < last:
            pieces = block.pieces(first, last)
            yield TextBlock(
                tuple(Piece(p.text, "mark" if p.is_marked else "") for p in pieces), block.kind
            )


def _fitted(png: bytes) -> bytes:
    """Return a picture within :data:`MAX_SIDE` and :data:`MAX_BYTES`."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as opened:
        if max(opened.size) <= MAX_SIDE and len(png) <= MAX_BYTES:
            return png
        image = opened.convert("RGB")
    image = _scaled(image, min(1.0, MAX_SIDE / max(image.size)))
    packed = _packed(image)
    ratio = 1.0
    while len(packed) > MAX_BYTES:
        image = _scaled(image, ratio)
        packed = _packed(image.quantize(_COLOURS, dither=Image.Dither.NONE))
        # The bytes go with the area.
        ratio = _MARGIN * math.sqrt(MAX_BYTES / len(packed))
    return packed


def _scaled(image: Image, ratio: float) -> Image:
    from PIL import Image as Pillow

    if ratio >= 1:
        return image
    size = (max(1, round(image.width * ratio)), max(1, round(image.height * ratio)))
    return image.resize(size, Pillow.Resampling.LANCZOS)


def _packed(image: Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
