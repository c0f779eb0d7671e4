"""Small pictures of passages on their pages, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from casetrack.api.viewer.view import PageDrawer
from casetrack.base.config import Settings
from casetrack.base.errors import CaseTrackError
from casetrack.base.provenance import Box, Provenance
from casetrack.base.records import Picture
from casetrack.base.records.graph import Quote
from casetrack.parse.render import PICTURE_FORMATS, mark_boxes
from casetrack.store.datasets import open_snapshot
from casetrack.store.passages import find_chunk

MAX_PICTURES = 3
"""Maximum number of passages with a picture."""
TOTAL_SECONDS = 12.0
"""Seconds after which no more pictures are drawn."""
QUOTES_SECONDS = 40.0
"""The same for a page with many quotes."""
_DPI = 110.0
_AROUND = 26.0
_AROUND_QUOTE = 48.0
_WIDTH = 620


def pictures(
    folder: Path, settings: Settings, passages: Mapping[str, Sequence[Box]], /
) -> dict[str, Picture]:
    """Draw the places of passages; return a picture, or why there is none, by chunk id.

    *passages* are chunk ids, most important first, with the rectangles to mark strongly. Formats
    without page pictures are left out of the result.
    """
    drawn: dict[str, Picture] = {}
    artist = _Artist(folder, settings, TOTAL_SECONDS)
    for chunk_id in [*passages][:MAX_PICTURES]:
        if (picture := artist.draw_chunk(chunk_id, passages[chunk_id])) is not None:
            drawn[chunk_id] = picture
    return drawn


def quote_pictures(
    folder: Path, settings: Settings, quotes: Sequence[Quote], /, *, limit: int
) -> dict[tuple[str, int, int], Picture]:
    """Draw at most *limit* places of quotes, most important first, each with its quote marked.

    Return a picture, or why there is none, by chunk id, start and end in the chunk's text. Formats
    without page pictures, and places after the last picture, are left out.
    """
    drawable = {(q.chunk_id, q.char_start, q.char_end): q for q in quotes}
    drawn: dict[tuple[str, int, int], Picture] = {}
    artist = _Artist(folder, settings, QUOTES_SECONDS)
    for place, quote in drawable.items():
        if sum(picture.png is not None for picture in drawn.values()) >= limit:
            break
        if (picture := artist.draw_place(quote.provenance, around=_AROUND_QUOTE)) is not None:
            drawn[place] = picture
    return drawn


class _Artist:
    """Draws passages of one collection."""

    def __init__(self, folder: Path, settings: Settings, seconds: float) -> None:
        self._drawer = PageDrawer(folder, settings, TOTAL_SECONDS, seconds)
        self._snapshot = open_snapshot(folder)

    def draw_chunk(self, chunk_id: str, strong: Sequence[Box] = ()) -> Picture | None:
        """Draw a passage; ``None`` if its format has no pictures."""
        try:
            place = find_chunk(self._snapshot, chunk_id).provenance
        except CaseTrackError as error:
            return Picture(None, f"There is no picture of the page. {error.message}")
        return self.draw_place(place, strong)

    def draw_place(
        self, p: Provenance, strong: Sequence[Box] = (), *, around: float = _AROUND
    ) -> Picture | None:
        """Draw a place with *around* points of margin; ``None`` as above."""
        document = self._snapshot.documents.get(p.document_id)
        if document is None or document.format not in PICTURE_FORMATS or not p.line_boxes:
            return None
        if self._drawer.is_late:
            return Picture(None, "The time limit was reached before the page was drawn.")
        image, note = self._drawer.page(document, p.page, dpi=_DPI)
        if image is None:
            return Picture(None, note) if note else None
        boxes = [b.box for b in p.line_boxes]
        return Picture(mark_boxes(image, boxes, strong=strong, around=around, width=_WIDTH), note)
