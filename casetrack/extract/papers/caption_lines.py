"""Lines of a caption: two columns, marks between them, numbers in the margin.

The parties are on the left, the number and the title on the right, often with a column of marks
between them. In the text of a page they share lines::

    ACME CORP.,                   )   Case No. 4:10-cv-00123
              Plaintiff,          )   COMPLAINT
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from statistics import median
from typing import TypeAlias

from casetrack.base.words import WordLists
from casetrack.extract.papers.text import written_lines

Box: TypeAlias = tuple[float, float]
"""Left and right edge of a line, in points."""
_MARK = re.compile(r"(?:(?<=\s)|^)(?<!\[\s)(?<!\[\sX\s)[)§|}\]:*](?=\s|$)")
_EDGE = re.compile(r"^(?:\s*[)§|}\]:*]+(?=\s))*\s*|(?:\s*\\|\s+[)§|}\]:*]+)*\s*$")
_NUMBER_ONLY = re.compile(r"\d{1,2}")
_NUMBERED = re.compile(r"(\d{1,2})\s+(?=\S)")
_RULE = re.compile(r"[\s_\-–—=.*~xX+/\\]{3,}|[xX]")
_LONG_RULE = re.compile(r"\s*(?:[_\-–—=*~/\\]\s{0,2}){6,}[\s)xX+/:|§]*")
_LISTS = WordLists(__file__)

_RIGHT = _LISTS.pattern("right")
_NUMBER_THEN = re.compile(_RIGHT.pattern, re.IGNORECASE)
_ROLE_THEN = _LISTS.pattern("role_then")
_CELL_END = re.compile(r"\s\|\s+(?=\S)|(?<=\S)[^\S\n]*\t\s*(?=\S)")
"""Separator of table cells in the text of a page."""
_VERSUS = _LISTS.pattern("versus")
_LINE_IN = {side: _LISTS.pattern(f"line_in_{side}") for side in ("left", "right")}
"""Ends of the lines of a caption in a table cell, whose text has no line breaks."""
_GAP = re.compile(r"(?<=[^\s\d])[^\S\n]{4,}(?=\S)")
_MOST_LINES, _LONGEST = 90, 600
_GAP_SHARE = 0.06
"""Minimum share of a line for the gap between its parts; widths of letters are estimates."""
_CAPTION = 14
"""Maximum lines of a caption above and below the case number."""
_NUMBER_LINE = _LISTS.pattern("number_line", re.IGNORECASE)
_COURT = _LISTS.pattern("court", re.IGNORECASE)
_OTHER_NUMBER = re.compile(r"\b(?:bar|badge|our|\w{0,3}SB\w{0,2})\b.{0,12}$", re.IGNORECASE)
_LEFT_END = _LISTS.pattern("left_end", re.IGNORECASE)
"""Words that end the left part of a line."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a line: ``page_text[start:end] == text``.

    *side* is ``whole`` for a line of one part, ``left`` and ``right`` for one of two.
    """

    text: str
    start: int
    end: int
    line: int
    side: str
    ruled: bool = False  # Whether a printed rule is above it
    page: int = 1


def caption_cells(text: str, page: int = 1, /) -> list[Cell]:
    """Return the parts of the first lines of a page, from top to bottom, from left to right.

    Lines of marks and numbers, and the line numbers of pleading paper, are omitted.
    """
    spans = _lines(text)
    numbered = _is_numbered([text[s:e] for s, e in spans])
    mark = _mark_between([text[s:e] for s, e in spans])
    cells = list[Cell]()
    rule = -1
    for number, (start, end) in enumerate(spans):
        line = text[start:end]
        if cells and _LONG_RULE.fullmatch(re.sub(r"^\s*\d{1,2}\s", "", line) if numbered else line):
            rule = len(cells)
        if numbered:
            if _NUMBER_ONLY.fullmatch(line.strip()):
                continue
            beside = _NUMBERED.match(line)
            first = start + beside.end() if beside else start
            cells += _cells(text, first, end, number, mark)
        else:
            cells += _cells(text, start, end, number, mark)
        if rule >= 0 and len(cells) > rule:
            cells[rule] = replace(cells[rule], ruled=True)
            rule = -1
    return cells if page == 1 else [replace(cell, page=page) for cell in cells]


def with_gutter(cells: list[Cell], text: str, boxes: Mapping[int, Box], /) -> list[Cell]:
    """Separate the two columns of a caption by the positions of its lines.

    *boxes* has the edges of lines by offset. Lines across both columns, such as a centred name of
    the court, stay whole.
    """
    spans = _lines(text)
    gutter = _Gutter.of(text, spans, boxes)
    if gutter is None:
        return cells
    mark = _mark_between([text[s:e] for s, e in spans])
    marked = [i for i, (s, e) in enumerate(spans) if mark and mark in text[s:e].split()]
    split = list[Cell]()
    for cell in cells:
        start, stop = spans[cell.line]
        is_far = abs(cell.line - gutter.line) > _CAPTION
        is_right = not is_far and gutter.split(text, start, stop, start) == start
        if cell.side == "left" and is_right and not _MARK.match(text, cell.end + 1, stop):
            cell = replace(cell, side="right")  # noqa: PLW2901 - a number below a title
        if cell.side != "whole" or is_far:
            split.append(cell)
            continue
        at = gutter.split(text, cell.start, cell.end, start)
        ends = [(cell.start, at or cell.end, "left"), (at or cell.end, cell.end, "right")]
        is_below = bool(marked) and cell.line > marked[-1] and at != cell.start
        if at is None or is_below or at in (cell.start, cell.end):
            side = "right" if at == cell.start else "whole"
            split.append(replace(cell, side=side))
            continue
        split += [c for s, e, side in ends if (c := _trimmed(text, s, e, cell.line, side))]
    return split


_ENDS = {",": 2, ".": 2, ";": 4}
"""Marks at the end of the left part of a line, with the ems that they may be away."""
_WIDE = {**dict.fromkeys("MWmw@%", 0.86), **dict.fromkeys("ijltfrI.,;:'’|!()[]- ", 0.31)}


def _width(text: str) -> float:
    """Return about how wide a text is, in ems."""
    return sum(_WIDE.get(c, 0.68 if c.isupper() else 0.5) for c in text)


@dataclass(frozen=True, slots=True)
class _Gutter:
    """The right column of a caption: its edges in points, length of an em, line of the number."""

    margin: float
    center: float  # Of the page
    left: float
    middle: float | None  # Of the lines in the right column only, if they are centred
    em: float
    line: int
    boxes: Mapping[int, Box]

    @classmethod
    def of(
        cls, text: str, spans: list[tuple[int, int]], boxes: Mapping[int, Box]
    ) -> _Gutter | None:
        """Find it by the lines in the right column only, and by the position of the number."""
        placed = [(s, e, boxes[s]) for s, e in spans if s in boxes]
        if len(placed) < 6:
            return None
        low, high = min(b[0] for *_, b in placed), max(b[1] for *_, b in placed)
        full = [(b[1] - b[0]) / _width(text[s:e]) for s, e, b in placed if e - s >= 12]
        if not full or high <= low:
            return None
        em = median(full)
        gutters = (
            cls._beside(text, spans, boxes, placed, em, (s, e, b), m)
            for s, e, b in placed
            if (m := _NUMBER_THEN.search(text, s, e)) or (m := _NUMBER_LINE.match(text, s, e))
            if not _OTHER_NUMBER.search(text[s : m.end() + 5])
        )
        return next(filter(None, gutters), None)

    @classmethod
    def _beside(
        cls,
        text: str,
        spans: list[tuple[int, int]],
        boxes: Mapping[int, Box],
        placed: list[tuple[int, int, Box]],
        em: float,
        number: tuple[int, int, Box],
        match: re.Match[str],
    ) -> _Gutter | None:
        """Return the right column whose number of the case is on a line."""
        low, high = min(b[0] for *_, b in placed), max(b[1] for *_, b in placed)
        s, e, box = number
        is_alone = match.re is _NUMBER_LINE
        guess = box[0] if is_alone else box[1] - em * _width(text[match.end() : e])
        line = next(i for i, (start, _) in enumerate(spans) if start == s)
        apart = [
            b
            for start, _, b in placed
            if low + 0.4 * (high - low) < b[0] < low + 0.72 * (high - low)
            and abs(b[0] + b[1] - low - high) > 2 * em
            and abs(next(i for i, (at, _) in enumerate(spans) if at == start) - line) < _CAPTION
        ]
        near = [b[0] for b in apart if abs(b[0] - guess) < 6 * em]
        is_flush = len(near) > 1 and max(near) - min(near) < em
        left = median(near) if is_flush else min([guess, *near])
        even = len({round(b[0] / em) for b in apart}) == 1
        middle = None if even or not apart else median((b[0] + b[1]) / 2 for b in apart)
        if left <= low + 0.25 * (high - low) or (is_alone and len(near) < 2):
            return None
        return cls(low, (low + high) / 2, left, middle, em, line, boxes)

    def split(self, text: str, start: int, end: int, line: int) -> int | None:
        """Return where the right part of a line begins: its start, its end, or between words."""
        box = self.boxes.get(line)
        if box is None:
            return None
        if box[0] >= self.left - self.em:
            is_centred = abs((box[0] + box[1]) / 2 - self.center) < self.em
            return None if is_centred else start
        if box[1] <= self.left + 2 * self.em:
            return end
        ended = _LEFT_END.match(text, start, end)
        if ended and self._off(text[ended.end() : end], box[1]) < 2 * self.em:
            return ended.end()
        gap = box[1] - box[0] - self.em * _width(text[start:end])
        if gap < max(1.2 * self.em, _GAP_SHARE * (box[1] - box[0])):
            return None
        spaces = re.finditer(r"\s+", text[start:end])
        stops = {m.end(): _ENDS.get(text[start + m.start() - 1], 0) for m in spaces}
        if not stops:
            return None
        if ended and ended.end() - start in stops:
            return ended.end()
        if box[0] > self.margin + 5 * self.em or _COURT.match(text, start, end):
            return None  # a centred line, or the name of the court
        # The left part often ends with a mark; widths of letters are estimates.
        off, at = min(
            (self._off(text[start + s : end], box[1]) - ends * self.em, s)
            for s, ends in stops.items()
        )
        return start + at if off < 4 * self.em else None

    def _off(self, right: str, end: float) -> float:
        """Return the distance of a right part that ends at *end* to the edge or middle."""
        begin = end - self.em * _width(right)
        off = abs(begin - self.left)
        if self.middle is not None and begin > self.left - self.em:
            off = min(off, abs((begin + end) / 2 - self.middle))
        return off


def _lines(text: str) -> list[tuple[int, int]]:
    spans = islice(written_lines(text), _MOST_LINES)
    return [(start, min(end, start + _LONGEST)) for start, end in spans]


def _is_numbered(lines: list[str]) -> bool:
    numbers = [int(m[1]) for line in lines if (m := _NUMBERED.match(line + " x"))]
    steps = sum(b - a == 1 for a, b in pairwise(numbers))
    return steps >= 10


def _mark_between(lines: list[str]) -> str | None:
    """Return the mark between two columns in at least four lines."""
    counts = Counter[str]()
    for line in lines:
        counts.update({m.group() for m in _MARK.finditer(line)})
    mark, count = counts.most_common(1)[0] if counts else ("", 0)
    return mark if count >= (3 if mark == ":" else 4) else None


def _cells(text: str, start: int, end: int, line: int, mark: str | None) -> list[Cell]:
    words = text[start:end].split()
    is_noise = len(words) > 7 and not any(sum(map(str.isalnum, w)) > 2 for w in words)
    if is_noise or _RULE.fullmatch(text[start:end].strip()):
        return []
    parts = [(start, end, "whole")]
    at = None
    if mark is not None:
        at = next((m for m in _MARK.finditer(text, start, end) if m.group() == mark), None)
    ends = (_CELL_END, _RIGHT, _ROLE_THEN, _GAP)
    split = next((m for each in ends if (m := each.search(text, start, end))), None)
    if at is not None:
        parts = [(start, at.start(), "left"), (at.end(), end, "right")]
    elif split and split.end() < end:
        parts = [(start, split.end(), "left"), (split.end(), end, "right")]
    if split and split.re is _CELL_END and len(parts) > 1 and _VERSUS.search(text, *parts[0][:2]):
        parts = [line for part in parts for line in _lines_in(text, *part)]
    return [cell for s, e, side in parts if (cell := _trimmed(text, s, e, line, side))]


def _lines_in(text: str, start: int, end: int, side: str) -> Iterator[tuple[int, int, str]]:
    """Yield the lines of a caption in a table cell."""
    ends = [match.end() for match in _LINE_IN[side].finditer(text, start, end)]
    return ((a, b, side) for a, b in pairwise([start, *ends, end]))


def _trimmed(text: str, start: int, end: int, line: int, side: str) -> Cell | None:
    for a, b in [m.span() for m in _EDGE.finditer(text[start:end])]:
        start, end = (start + b, end) if a == 0 else (start, end - (b - a))
    if start >= end or _RULE.fullmatch(text[start:end]):
        return None
    return Cell(text[start:end], start, end, line, side)
