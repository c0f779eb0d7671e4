"""Find line numbers of pleading paper and transcripts by their positions.

A column of them counts 1, 2, 3 ... at equal distances to 20 or more at the left of all text, and
the text next to it is testimony or prose, not the rows of a table or of a form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.base.groups import in_runs
from casetrack.base.provenance import Box
from casetrack.parse.layout.segments import Segment
from casetrack.parse.ocr.clean import find_components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.parse.ocr.engine import Picture

LEAST, MOST = 20, 36
"""Number of lines on numbered paper; 25 and 28 are usual."""
_LEAST_KNOWN = 3
_NUMBER = re.compile(
    r"(?:(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?)\s+)?"
    r"(?P<number>\d\s?\d?)(?:\s+(?P<rest>\S.*))?"
)
TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}){0,2}(?:\s?[AaPp]\.?[Mm]\.?)?(?=\s|$)")
STAMPED = 0.5
"""Minimum share of lines with times next to them that makes these stamps, not words of the text."""
_ALIKE, _ON_PITCH = 1.6, 0.3
_LEAST_PITCH = 0.8
_QUESTION, _ANSWER = re.compile(r"Q[.:]?(?:\s|$)"), re.compile(r"A[.:]?(?:\s|$)")
_SPEAKER = re.compile(r"(?:BY )?(?:MR|MS|MRS|DR|THE)\.? [A-Z][A-Z'\u2019. -]*[:.]")
_CODE = re.compile(r"[{}=<>\[\]_;]|\w\(")
_CELLS, _BESIDE = 2.2, 0.3
_SAME_EDGE, _SAME_PITCH = 9.0, 0.04
_SPOKEN, _GOING_ON, _EMPTY = 3, 0.2, 4


class Number(NamedTuple):
    """A possible line number: a separate segment, or the start of one."""

    value: int
    segments: tuple[Segment, ...]
    rest: str
    time: str

    @property
    def middle(self) -> float:
        """Its middle across the reading direction."""
        return (self.segments[0].v0 + self.segments[0].v1) / 2

    @property
    def left(self) -> float:
        """Its start along the reading direction."""
        return self.segments[0].u0


@dataclass
class NumberColumn:
    """Numbered lines of one printed page of a transcript or a pleading; a sheet may have several.

    *left* and *right* are the extent of its text, *start* is the position of line 0, *pitch* the
    distance between lines, all in points; *duplicates* are the numbers printed again at the right.
    """

    numbers: list[Number]
    left: float
    right: float
    first: int
    last: int
    start: float
    pitch: float
    times: list[Segment] = field(default_factory=list)
    duplicates: list[Segment] = field(default_factory=list)

    def height(self, number: int) -> float:
        """Return the vertical position of a line."""
        return self.start + number * self.pitch

    @property
    def edge(self) -> float:
        """Start of the numbers along the reading direction."""
        return min(n.left for n in self.numbers)

    @property
    def top(self) -> float:
        """Above the first line."""
        return self.height(self.first) - 0.75 * self.pitch

    @property
    def bottom(self) -> float:
        """Below the last line."""
        return self.height(self.last) + 0.75 * self.pitch

    def holds(self, s: Segment) -> bool:
        """Return whether a segment is next to the numbers."""
        middle = (s.v0 + s.v1) / 2
        return self.top <= middle <= self.bottom and self.left <= (s.u0 + s.u1) / 2 < self.right

    def row(self, s: Segment) -> int:
        """Return the number of the line that contains a segment."""
        return round(((s.v0 + s.v1) / 2 - self.start) / self.pitch)


class NumberColumns:
    """Finds the number columns of a document's pages; short ones must resemble earlier ones."""

    def __init__(self) -> None:
        self._known: list[tuple[float, float]] = []

    def find(self, segments: Sequence[Segment], /) -> list[NumberColumn]:
        """Return the columns of one page, from left to right and from top to bottom."""
        numbers = _numbers(segments)
        if len(numbers) < _LEAST_KNOWN:
            return []
        columns: list[NumberColumn] = []
        for aligned in _aligned(numbers):
            rest = aligned
            while len(rest) >= _LEAST_KNOWN:
                run = _best_run(rest)
                if len(run) < _LEAST_KNOWN:
                    break
                columns.append(_column(run))
                taken = {id(n.segments[0]) for n in run}
                rest = [n for n in rest if id(n.segments[0]) not in taken]
        columns = [c for c in columns if self._is_long(c)]
        _set_extents(columns, segments)
        kept = [c for c in columns if self._is_paper(c, segments)]
        if len(kept) != len(columns):
            for other in columns:
                _join_duplicate(other, kept)
            _set_extents(kept, segments)
        for column in kept:
            if column.last >= LEAST and not self._is_known(column):
                self._known.append((column.edge, column.pitch))
        return kept

    def _is_known(self, column: NumberColumn) -> bool:
        return any(
            abs(column.edge - edge) < _SAME_EDGE and abs(column.pitch - pitch) < _SAME_PITCH * pitch
            for edge, pitch in self._known
        )

    def _is_long(self, column: NumberColumn) -> bool:
        if column.first != 1 or column.last > MOST:
            return False
        count = len(column.numbers)
        if count < 0.8 * column.last:
            return False
        return column.last >= LEAST or (self._is_known(column) and count >= _LEAST_KNOWN)

    def _is_paper(self, column: NumberColumn, segments: Sequence[Segment]) -> bool:
        """Return whether the text next to the numbers is a page, not a table, a form or a list."""
        column.times = _stamps(column, segments)
        own = {id(s) for n in column.numbers for s in n.segments} | set(map(id, column.times))
        rows: dict[int, list[Segment]] = {}
        left_texts = 0
        for s in segments:
            if id(s) in own or not column.holds(s):
                continue
            if s.u0 < column.edge:
                left_texts += 1
                continue
            rows.setdefault(column.row(s), []).append(s)
        texts = {
            value: " ".join(s.text.strip() for s in sorted(row, key=lambda s: s.u0))
            for value, row in rows.items()
        }
        for n in column.numbers:
            if n.rest:
                texts[n.value] = f"{n.rest} {texts.get(n.value, '')}".strip()
        if left_texts > _BESIDE * column.last:
            # There is text at the left of the numbers, or among them.
            return False
        if self._is_known(column):
            return True
        cells = [len(row) for row in rows.values()]
        return reads_as_paper(
            [texts.get(value, "") for value in range(1, column.last + 1)],
            sum(cells) / len(cells) if cells else 1.0,
        )


def _stamps(column: NumberColumn, segments: Sequence[Segment]) -> list[Segment]:
    times = [s for s in segments if TIME.fullmatch(s.text.strip()) and column.holds(s)]
    filled = {column.row(s) for s in segments if column.holds(s) and any(map(str.isalpha, s.text))}
    groups: dict[int, list[Segment]] = {}
    for s in times:
        groups.setdefault(round(s.u0 / (2 * s.size)), []).append(s)
    largest = max(groups.values(), key=len, default=[])
    return largest if len(largest) >= max(_SPOKEN, STAMPED * len(filled)) else []


def is_testimony(texts: Sequence[str], /) -> bool:
    """Return whether texts are questions and answers, or lines of named speakers."""
    asked, answered, named = (
        sum(1 for text in texts if mark.match(text)) for mark in (_QUESTION, _ANSWER, _SPEAKER)
    )
    spoken = asked + answered + named
    return (asked > 0 < answered and spoken >= _SPOKEN) or named >= _SPOKEN


def reads_as_paper(texts: Sequence[str], cells: float = 1.0, /) -> bool:
    """Return whether lines are testimony or prose, not rows of a table or form, items or code."""
    filled = [text for text in texts if text]
    if not filled:
        return False
    if is_testimony(filled):
        return True
    lettered = [t for t in filled if sum(map(str.isalpha, t)) >= 0.5 * len(t.replace(" ", ""))]
    code = sum(1 for text in filled if _CODE.search(text))
    if len(lettered) < 0.7 * len(filled) or code > 0.3 * len(filled) or cells > _CELLS:
        return False
    continued = sum(
        1
        for before, text in pairwise(texts)
        if before and text[:1].islower() and before.rstrip()[-1:] not in {".", ";", ":", "{", "}"}
    )
    empty = len(texts) - len(filled)
    words = sum(len(text.split()) for text in filled) / len(filled)
    if continued >= max(_SPOKEN, _GOING_ON * len(filled)):
        return True
    return empty >= _EMPTY and continued >= 1 and words > 1


def _numbers(segments: Sequence[Segment]) -> list[Number]:
    numbers: list[Number] = []
    for s in segments:
        text = s.text.strip()
        match = _NUMBER.fullmatch(text) if text[:1].isdigit() else None
        if match is None:
            continue
        value = int("".join(match["number"].split()))
        if match["rest"] and len(match["number"].split()) > 1:
            # "1 0 Q." may be a number in two figures, "1 2 copies" is line 1: the position decides.
            numbers.append(Number(value, (s,), match["rest"], match["time"] or ""))
            one, two = match["number"].split()
            numbers.append(Number(int(one), (s,), f"{two} {match['rest']}", match["time"] or ""))
            continue
        if value > 0:
            numbers.append(Number(value, (s,), match["rest"] or "", match["time"] or ""))
    return numbers + _join_figures(numbers)


def _join_figures(numbers: Sequence[Number]) -> list[Number]:
    """Return numbers whose two figures are separate segments."""
    single = [n for n in numbers if n.value < 10 and not n.rest and not n.time]
    single.sort(key=lambda n: (round(n.segments[0].base), n.left))
    out = []
    for a, b in pairwise(single):
        s, t = a.segments[0], b.segments[0]
        if abs(s.base - t.base) < 0.3 * s.size and -0.2 * s.size < t.u0 - s.u1 < 0.8 * s.size:
            out.append(Number(10 * a.value + b.value, (s, t), "", ""))
    return out


def _aligned(numbers: Sequence[Number]) -> list[list[Number]]:

    def joins(group: list[Number], n: Number) -> bool:
        alike = _ALIKE * n.segments[0].size
        return n.left - group[-1].left < 0.5 * alike and n.left - group[0].left < alike

    groups = in_runs(sorted(numbers, key=lambda n: n.left), joins)
    return [sorted(group, key=lambda n: (n.middle, -n.value)) for group in groups]


def _best_run(numbers: Sequence[Number]) -> list[Number]:
    """Return the longest run of ascending numbers at equal distances."""
    best: list[Number] = []
    for i, first in enumerate(numbers):
        if first.value != 1:
            continue
        for second in numbers[i + 1 : i + 8]:
            step = second.value - first.value
            if not 0 < step <= 3:
                continue
            pitch = (second.middle - first.middle) / step
            if pitch < _LEAST_PITCH * first.segments[0].size * 0.8:
                continue
            run = _follow(numbers[i:], first, pitch)
            if len(run) > len(best):
                best = run
    return best


def _follow(numbers: Sequence[Number], first: Number, pitch: float) -> list[Number]:
    run = [first]
    for n in numbers[1:]:
        step = n.value - run[-1].value
        if not 0 < step <= 4:
            continue
        off = n.middle - run[-1].middle - step * pitch
        if abs(off) <= _ON_PITCH * pitch:
            run.append(n)
            if len(run) > 2:
                pitch = (n.middle - first.middle) / (n.value - first.value)
    return run


def _column(run: list[Number]) -> NumberColumn:
    first, last = run[0], run[-1]
    pitch = (last.middle - first.middle) / (last.value - first.value)
    left = min(n.left for n in run)
    start = first.middle - first.value * pitch
    return NumberColumn(run, left, float("inf"), first.value, last.value, start, pitch)


def _join_duplicate(other: NumberColumn, columns: Sequence[NumberColumn]) -> None:
    """Add the same numbers at the right of a page to those at its left."""
    for column in columns:
        is_level = abs(other.start - column.start) < _ON_PITCH * column.pitch
        if other is not column and is_level and other.last == column.last:
            column.duplicates += [s for n in other.numbers if not n.rest for s in n.segments]


def _set_extents(columns: list[NumberColumn], segments: Sequence[Segment]) -> None:
    """Set the extent of each column: from its numbers to those of the next column."""
    columns.sort(key=lambda c: (round(c.edge / 40), c.start))
    least = min((s.u0 for s in segments), default=0.0)
    for column in columns:
        size = column.numbers[0].segments[0].size
        nexts = [c.edge for c in columns if c.edge > column.edge + 8 * size]
        befores = [c for c in columns if c.edge < column.edge - 8 * size]
        column.right = min(nexts, default=float("inf")) - 0.5 * size
        # Times and the like are at the left of the numbers, except next to another page's.
        column.left = column.edge - 0.5 * size if befores else least - 1.0


# Finds line numbers of a scanned page, which OCR engines omit or garble. They are detected by shape
# only: marks at equal distances down the margin, the first nine with one figure and the others with
# two. Their values are then certain without reading any of them.

_INK = 64
_LONG_TEXT = 12
_ONE_FIGURE = 9
_WIDER = 1.4
_ON_PITCH_OF_SCAN = 0.2
_TALL, _LOW = 1.8, 0.45
_MOST_PARTS = 4000


def with_margin_numbers(
    segments: Sequence[Segment], image: Picture, scale: float, /
) -> list[Segment] | None:
    """Return the text of a level scan with its line numbers as separate segments, or ``None``.

    *image* is grey, dark on light; *scale* is points per pixel.
    """
    long = [s for s in segments if len(s.text) >= _LONG_TEXT]
    if len(long) < _ONE_FIGURE:
        return None
    left = float(np.percentile([s.box.x0 for s in long], 10)) - 1.0
    width = int(left / scale)
    if width < 10:
        return None
    strip = image[:, : min(width, image.shape[1])]
    ground = float(np.median(strip))
    boxes = _rows(strip.astype(np.int16) < ground - _INK)
    run = _run(boxes)
    if run is None:
        return None
    du = float(np.median([s.u0 - s.box.x0 for s in long]))
    dv = float(np.median([s.v0 - s.box.y0 for s in long]))
    size = float(np.median([s.size for s in long]))
    numbers = []
    for value, (x0, y0, x1, y1) in enumerate(run, start=1):
        box = Box(x0 * scale, y0 * scale, x1 * scale, y1 * scale)
        # As high as a line of text, to get the same middle.
        numbers.append(
            Segment(
                str(value),
                box.x0 + du,
                box.y0 + dv,
                box.x1 + du,
                box.y1 + dv,
                box.y1 + dv,
                size,
                bold=False,
                box=box,
                confidence=1.0,
            )
        )
    top, bottom = numbers[0].box.y0 - size, numbers[-1].box.y1 + size
    others = [s for s in segments if s.box.x1 > left or not top < s.box.y0 < bottom]
    return [*others, *numbers]


_Rect = tuple[float, float, float, float]


def _rows(mask: NDArray[np.bool_]) -> list[_Rect]:
    """Return the marks of a strip from top to bottom; marks side by side are joined."""
    parts = find_components(mask)
    count = len(parts.x0)
    if not LEAST <= count <= _MOST_PARTS:
        return []
    high = parts.y1 - parts.y0
    large = (parts.area >= 8) & (high >= 6)
    if int(large.sum()) < LEAST:
        return []
    usual = float(np.median(high[large]))
    kept = large & (high <= _TALL * usual) & (high >= _LOW * usual)
    rows: list[list[float]] = []
    for i in np.argsort(parts.y0[kept] + parts.y1[kept]):
        x0, y0, x1, y1 = (float(a[kept][i]) for a in (parts.x0, parts.y0, parts.x1, parts.y1))
        if rows and (y0 + y1) / 2 < rows[-1][3] and x0 - rows[-1][2] < 2 * usual:
            last = rows[-1]
            rows[-1] = [min(last[0], x0), min(last[1], y0), max(last[2], x1), max(last[3], y1)]
        else:
            rows.append([x0, y0, x1, y1])
    return [(r[0], r[1], r[2], r[3]) for r in rows]


def _run(rows: Sequence[_Rect]) -> list[_Rect] | None:
    """Return the longest run of marks at equal distances with the widths of 1, 2, 3 ..."""
    best: list[_Rect] = []
    for first in range(len(rows) - LEAST + 1):
        for second in (first + 1, first + 2):
            pitch = _middle(rows[second]) - _middle(rows[first])
            run = [rows[first]]
            for row in rows[first + 1 :]:
                off = _middle(row) - _middle(run[-1])
                if abs(off - pitch) <= _ON_PITCH_OF_SCAN * pitch:
                    run.append(row)
                    pitch = (_middle(row) - _middle(run[0])) / (len(run) - 1)
                elif off > (1 + _ON_PITCH_OF_SCAN) * pitch:
                    break
            if len(run) > len(best):
                best = run
        if len(best) >= LEAST:
            break
    if not LEAST <= len(best) <= MOST:
        return None
    wide = [r[2] - r[0] for r in best]
    one, two = float(np.median(wide[:_ONE_FIGURE])), float(np.median(wide[_ONE_FIGURE:]))
    # "1" and "11" are narrow; the others with as many figures are equally wide.
    fitting = sum(w < 0.5 * (one + two) for w in wide[:_ONE_FIGURE])
    fitting += sum(w > 0.5 * (one + two) for w in wide[_ONE_FIGURE:])
    return best if two >= _WIDER * one and fitting >= len(best) - 2 else None


def _middle(row: _Rect) -> float:
    return (row[1] + row[3]) / 2
