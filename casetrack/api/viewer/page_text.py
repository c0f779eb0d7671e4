"""Assembles the text of a page from its chunks, with the passage marked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from casetrack.search.pinpoint.mail_heads import without_head

AROUND_CHARS = 20_000
"""Characters of a page that are shown on each side of the passage."""

COLUMNS = (
    *"text page char_start char_end paragraphs row_start row_end column_start column_end".split(),
)
"""Required columns of ``chunks``."""
_FULL, _WIDE = 0.75, 60
"""A line continues in the next if it has this share of the longest one, and this many letters."""
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\(?\w{1,3}[.)]|\d+(?:\.\d+)*)\s|.* \| ")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a paragraph, and whether it is in the passage and in its answer."""

    text: str
    is_marked: bool
    is_strong: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a row of a sheet.

    *start* is a code point of the page's text; *kind* and *level* are those of
    :class:`casetrack.parse.base.Paragraph`. *row* is the sheet's row (from 1) if it is certain.
    *mark_start* and *mark_end* are the part of *text* in the passage; equal if there is none.
    *strong* are the parts of *text* that answer the question.
    """

    text: str
    start: int
    kind: str
    level: int | None
    row: int | None
    mark_start: int
    mark_end: int
    strong: tuple[tuple[int, int], ...] = ()

    @property
    def is_marked(self) -> bool:
        """Whether any of it belongs to the passage."""
        return self.mark_start < self.mark_end

    def pieces(self, start: int = 0, end: int | None = None, /) -> list[Piece]:
        """Return ``text[start:end]``, the passage apart from the rest; never an empty piece."""
        last = len(self.text) if end is None else end
        marks = self.mark_start, self.mark_end, *itertools.chain(*self.strong)
        edges = sorted({start, last, *(min(max(m, start), last) for m in marks)})
        return [
            Piece(self.text[a:b], self.mark_start <= a and b <= self.mark_end, self.answers(a, b))
            for a, b in itertools.pairwise(edges)
        ]

    def answers(self, start: int, end: int, /) -> bool:
        """Return whether a part of ``text[start:end]`` answers the question."""
        return any(a < end and start < b for a, b in self.strong)


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's paragraphs around the passage, and the number of characters left out on each side.

    *columns* are the first and last column of a sheet (from 1), *head* is the head of a mail.
    """

    blocks: tuple[Block, ...]
    left_out_before: int
    left_out_after: int
    columns: tuple[int, int] | None = None
    head: tuple[Block, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Whether a part of the passage answers the question."""
        return any(block.strong for block in self.blocks)


def page_text(
    rows: Iterable[Mapping[str, Any]],
    start: int,
    end: int,
    /,
    *,
    is_mail: bool = False,
    strong: Sequence[tuple[int, int]] = (),
) -> PageText:
    """Build a page from its chunks with :data:`COLUMNS` and the span of the passage.

    *strong* are the spans of the page's text that answer the question.
    """
    ordered = sorted(rows, key=lambda row: row["char_start"])
    text = joined(ordered)
    paragraphs = {p["number"]: p for row in ordered for p in row["paragraphs"] or ()}
    if not paragraphs:
        whole = {"start": 0, "end": len(text), "kind": "body", "level": None}
        paragraphs = {1: whole}
    low, high = start - AROUND_CHARS, end + AROUND_CHARS
    shown = {n: p for n, p in paragraphs.items() if p["end"] > low and p["start"] < high}
    numbers = row_numbers(ordered)
    blocks = [
        _block(text, shown[n], numbers.get(n), (start, end), strong, (low, high))
        for n in sorted(shown)
    ]
    body = len(text) - len(without_head(text)) if is_mail else 0
    head = tuple(block for block in blocks if block.start + len(block.text) <= body)
    return PageText(
        tuple(blocks[len(head) :]),
        blocks[0].start if blocks else 0,
        len(text) - (blocks[-1].start + len(blocks[-1].text)) if blocks else 0,
        _columns(ordered),
        head,
    )


def _columns(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int] | None:
    ranges = [(r["column_start"], r["column_end"]) for r in rows if r["column_start"] is not None]
    if not ranges:
        return None
    return min(first for first, _ in ranges), max(last for _, last in ranges)


def _block(
    text: str,
    paragraph: Mapping[str, Any],
    row: int | None,
    passage: tuple[int, int],
    strong: Sequence[tuple[int, int]],
    within: tuple[int, int],
) -> Block:
    first, last = max(paragraph["start"], within[0]), min(paragraph["end"], within[1], len(text))
    inside = [tuple(min(max(n, first), last) - first for n in span) for span in (passage, *strong)]
    return Block(
        text=flowing(text[first:last]) if paragraph["kind"] == "body" else text[first:last],
        start=first,
        kind=paragraph["kind"],
        level=paragraph["level"],
        row=row,
        mark_start=inside[0][0],
        mark_end=inside[0][1],
        strong=tuple((a, b) for a, b in inside[1:] if a < b),
    )


def flowing(text: str, /) -> str:
    """Join the full lines of paragraphs; offsets stay the same."""
    lines = text.split("\n")
    full = max(_WIDE, max(map(len, lines)) * _FULL)
    out = lines[0]
    for last, line in itertools.pairwise(lines):
        flows = line.strip() and len(last) >= full and not _ITEM.match(line)
        out += (" " if flows else "\n") + line
    return out


def joined(rows: Iterable[Mapping[str, Any]], /) -> str:
    """Join chunks, which cover their page and overlap."""
    parts: list[str] = []
    length = 0
    for row in sorted(rows, key=lambda row: row["char_start"]):
        parts.append(row["text"][max(0, length - row["char_start"]) :])
        length = max(length, row["char_end"])
    return "".join(parts)


def row_numbers(rows: Iterable[Mapping[str, Any]], /) -> dict[int, int]:
    """Return the sheet row of each paragraph if the chunks determine it.

    A chunk has its first and last row; the rows between are certain if none is empty.
    """
    numbers: dict[int, int] = {}
    for row in rows:
        first, last = row["row_start"], row["row_end"]
        paragraphs = [p["number"] for p in row["paragraphs"] or ()]
        if first is None or last is None or not paragraphs:
            continue
        if len(paragraphs) == last - first + 1:
            numbers |= {p: first + i for i, p in enumerate(paragraphs)}
        else:
            numbers |= {paragraphs[0]: first, paragraphs[-1]: last}
    return numbers
