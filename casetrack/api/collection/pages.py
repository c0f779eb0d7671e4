"""Puts the pages of a document together from its chunks, which tile them and overlap."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.provenance import Box, LineBox, hull
from casetrack.base.records import Page
from casetrack.extract.papers.places import joined_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.base.records import Chunk


def pages_of(chunks: Sequence[Chunk], /) -> Iterator[Page]:
    """Yield the pages that the chunks of a document stand on, in order."""
    ordered = sorted(chunks, key=lambda c: (c.provenance.page, c.provenance.char_start))
    for number, found in itertools.groupby(ordered, key=lambda c: c.provenance.page):
        yield _page(number, list(found))


def _page(number: int, chunks: Sequence[Chunk]) -> Page:
    """Join the chunks of a page, which tile it and overlap."""
    parts, length = list[str](), 0
    for chunk in chunks:
        parts.append(chunk.text[max(0, length - chunk.provenance.char_start) :])
        length = max(length, chunk.provenance.char_end)
    places = [c.provenance for c in chunks]
    sure = [p.ocr_confidence for p in places if p.ocr_confidence is not None]
    rows = [p.row_end for p in places if p.row_end is not None]
    whole = replace(
        places[0],
        paragraph_end=max(p.paragraph_end for p in places),
        line_end=max(p.line_end for p in places),
        printed_place=joined_words(p.printed_place for p in places),
        char_end=length,
        row_end=max(rows, default=None),
        ocr_confidence=min(sure, default=None),
        line_boxes=tuple(_whole_lines(box for p in places for box in p.line_boxes)),
    )
    return Page(number, "".join(parts), len(chunks), whole)


def _whole_lines(boxes: Iterable[LineBox]) -> Iterator[LineBox]:
    """Yield the rectangle of each line: two chunks that share one have their parts of it."""
    parts: dict[int, list[Box]] = {}
    for each in boxes:
        parts.setdefault(each.line, []).append(each.box)
    for line, found in parts.items():
        yield LineBox(line, hull(found))
