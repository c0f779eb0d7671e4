"""Small pictures of passages on their pages, for notebooks."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.errors import CaseTrackError, FileError
from casetrack.readers.base import ReadOptions
from casetrack.readers.render import PICTURE_FORMATS, mark_boxes
from casetrack.readers.workers.pool import ParsePool
from casetrack.records import Picture
from casetrack.store.datasets import open_snapshot
from casetrack.store.find import find_chunk
from casetrack.viewer.source import Source, find_source
from casetrack.viewer.view import about_source, no_picture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.config import Settings
    from casetrack.readers.render import PageImage
    from casetrack.records import Document

MAX_PICTURES = 3
"""Only so many of the first passages get a picture."""
TOTAL_SECONDS = 12.0
"""Pictures that are not done by then are left out."""
_DPI = 110.0
_AROUND = 26.0
_WIDTH = 620


def pictures(folder: Path, settings: Settings, chunk_ids: Sequence[str], /) -> dict[str, Picture]:
    """Draw the places of passages.

    Parameters
    ----------
    folder
        The collection's.
    settings
        Those of its data folder.
    chunk_ids
        The passages, the most important first.

    Returns
    -------
    dict
        By chunk id: a picture, or why there is none. Formats without page pictures are left out.
    """
    wanted = chunk_ids[:MAX_PICTURES]
    seconds = min(settings.parse.timeout_seconds, TOTAL_SECONDS)
    limits = replace(settings.parse, timeout_seconds=seconds)
    options = ReadOptions(models_dir=settings.models_dir)
    found: dict[str, Picture] = {}
    with ParsePool(limits, options=options) as pool:
        artist = _Artist(folder, pool, time.monotonic() + TOTAL_SECONDS)
        for chunk_id in wanted:
            try:
                picture = artist.draw(chunk_id)
            except FileError as error:
                picture = Picture(None, no_picture(error))
            except CaseTrackError as error:
                picture = Picture(None, f"There is no picture of the page. {error.message}")
            if picture is not None:
                found[chunk_id] = picture
    return found


class _Artist:
    """Draws passages of one collection; every page and every file is looked at once."""

    def __init__(self, folder: Path, pool: ParsePool, deadline: float) -> None:
        self._folder, self._pool, self._deadline = folder, pool, deadline
        self._snapshot = open_snapshot(folder)
        self._sources: dict[str, Source] = {}
        self._pages: dict[tuple[Path, int], PageImage | None] = {}

    def draw(self, chunk_id: str) -> Picture | None:
        p = find_chunk(self._snapshot, chunk_id).provenance
        document = self._snapshot.documents[p.document_id]
        if document.format not in PICTURE_FORMATS or not p.line_boxes:
            return None
        if time.monotonic() > self._deadline:
            return Picture(None, "There was no time left to draw the page.")
        source = self._source(document)
        if source.path is None:
            return Picture(None, about_source(source, document) or "")
        image = self._page(source.path, p.page)
        if image is None:
            return None
        png = mark_boxes(image, [b.box for b in p.line_boxes], around=_AROUND, width=_WIDTH)
        return Picture(png, about_source(source, document) or "")

    def _source(self, document: Document) -> Source:
        known = self._sources.get(document.document_id)
        if known is None:
            known = self._sources[document.document_id] = find_source(self._folder, document)
        return known

    def _page(self, path: Path, page: int) -> PageImage | None:
        if (path, page) not in self._pages:
            self._pages[path, page] = self._pool.render(path, page, dpi=_DPI)
        return self._pages[path, page]
