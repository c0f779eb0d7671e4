"""Removes line and page numbers of numbered paper from the text, and assigns them to lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.numerals import roman
from casetrack.base.provenance import Box, PrintedPlace
from casetrack.parse.layout.running import page_number
from casetrack.parse.printed.number_columns import Number, NumberColumn, NumberColumns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.parse.base import Page
    from casetrack.parse.layout.segments import Segment

    Cut = Callable[[Segment, int], Segment]
    """Removes a number of nonblank characters from the start of a segment."""

_NAMED_PAGE = re.compile(r"\bpage:?\s+(\d{1,5})\b", re.IGNORECASE)
_OF_COURT = re.compile(r"\b(?:filed|document|page\s?id|case)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_NEAR = 7.0
_OUT_OF_STEP, _BACKWARDS = 0.3, 9.0


@dataclass(slots=True)
class NumberedPart:
    """A printed page, in points of the displayed sheet; *across* means that it is rotated."""

    label: str | None
    area: Box
    lines: dict[int, float]
    across: bool
    times: dict[int, str]

    def lines_at(self, boxes: Sequence[Box], /) -> list[int | None]:
        """Return the numbers of consecutive lines; ``None`` above the first and below the last."""
        ways: dict[int | None, tuple[float, list[int | None]]] = {None: (0.0, [])}
        before: float | None = None
        for box in boxes:
            middle = self._middle(box)
            near = sorted(self.lines, key=lambda n: abs(self.lines[n] - middle))[:3]
            fitting = [n for n in near if abs(self.lines[n] - middle) <= 0.75 * self._pitch]
            apart = 0.0 if before is None else (middle - before) / self._signed_pitch
            step: dict[int | None, tuple[float, list[int | None]]] = {}
            options: list[int | None] = [*fitting] or [None]
            for number in options:
                off = 0.0 if number is None else (self.lines[number] - middle) / self._pitch
                cost, way = min(
                    (
                        (old + off * off + _jump(known, number, apart), path)
                        for known, (old, path) in ways.items()
                    ),
                    key=lambda option: option[0],
                )
                step[number] = cost, [*way, number]
            ways, before = step, middle
        return min(ways.values(), key=lambda option: option[0])[1]

    def holds(self, box: Box, /) -> bool:
        """Return whether a line is on this page."""
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        area = self.area
        return area.x0 <= x <= area.x1 and area.y0 <= y <= area.y1

    def _middle(self, box: Box) -> float:
        return (box.x0 + box.x1) / 2 if self.across else (box.y0 + box.y1) / 2

    @property
    def _pitch(self) -> float:
        return abs(self._signed_pitch)

    @property
    def _signed_pitch(self) -> float:
        first, last = min(self.lines), max(self.lines)
        return (self.lines[last] - self.lines[first]) / (last - first)


def _jump(before: int | None, number: int | None, apart: float) -> float:
    """Return the cost of assigning two numbers to lines at a distance of *apart* pitches."""
    if before is None or number is None:
        return 0.0
    if number < before:
        return _BACKWARDS
    return _OUT_OF_STEP * (number - before - round(apart)) ** 2


class NumberedPaper:
    """Removes numbers from the pages of one document."""

    def __init__(self) -> None:
        self._columns = NumberColumns()
        self._last: int | None = None

    def learn(self, segments: Sequence[Segment], /) -> None:
        """Read a page in advance: later pages explain the numbers of a cover or an index."""
        self._columns.find(segments)

    def take(
        self, segments: Sequence[Segment], cut: Cut, /
    ) -> tuple[list[list[Segment]], list[NumberedPart]]:
        """Return the text of a page without line and page numbers, and the printed pages.

        For several printed pages, the text outside of them comes first, then each page in order.
        *cut* removes a number from the start of a segment.
        """
        columns = self._columns.find(segments)
        if not columns:
            return [list(segments)], []
        left = _without_numbers(segments, columns, cut)
        parts: list[NumberedPart] = []
        texts: list[list[Segment]] = []
        for column in columns:
            name = self._page_label(column, columns, left)
            if name is not None:
                left = [s for s in left if s not in name[1]]
            held = [s for s in left if column.holds(s)]
            texts.append(held)
            parts.append(_part(column, held, name[0] if name else None))
        if len(columns) == 1:
            return [left], parts
        on_none = [s for s in left if not any(column.holds(s) for column in columns)]
        order = _in_order([part.label for part in parts])
        return [on_none, *(texts[i] for i in order)], [parts[i] for i in order]

    def _page_label(
        self, column: NumberColumn, columns: Sequence[NumberColumn], segments: Sequence[Segment]
    ) -> tuple[str, list[Segment]] | None:
        """Return the number printed above or below the lines, and the text that consists of it."""
        near = [s for s in segments if _is_near(s, column, columns)]
        near.sort(key=lambda s: (s.base > column.top, abs(s.base - column.top)))
        alone = [(n, s) for s in near if (n := page_number(s.text)) is not None]
        # The page of the filing, in the line of the court's system, is not that of the paper.
        stamped = {s.base for s in near if _OF_COURT.search(s.text)}
        if alone := [a for a in alone if a[1].base not in stamped] or alone:
            following = [a for a in alone if self._last is not None and a[0] == self._last + 1]
            named = [a for a in alone if not a[1].text.strip().isdigit()]
            self._last, segment = (following or named or alone)[0]
            is_arabic = _DIGITS.search(segment.text)
            return str(self._last) if is_arabic else roman(self._last), [segment]
        for s in near:
            match = _NAMED_PAGE.search(s.text)
            if match and not _OF_COURT.search(s.text):
                self._last = int(match[1])
                return str(int(match[1])), []
        return None


def _is_near(s: Segment, column: NumberColumn, columns: Sequence[NumberColumn]) -> bool:
    """Return whether a segment is directly above or below the lines of a page, within its width."""
    middle = (s.v0 + s.v1) / 2
    is_marked = page_number(s.text) is not None and not s.text.strip().isdigit()
    if column.top <= middle <= column.bottom - (column.pitch / 4 if is_marked else 0):
        return False
    if not column.left <= (s.u0 + s.u1) / 2 < column.right:
        return False
    away = max(column.top - middle, middle - column.bottom)
    others = [max(c.top - middle, middle - c.bottom) for c in columns if c is not column]
    inside = any(
        c is not column and c.left <= s.u0 < c.right and c.top <= middle <= c.bottom
        for c in columns
    )
    if inside:
        return False
    # Between two pages of a sheet, a page number belongs to the lower one.
    is_between = (
        len(columns) > 1
        and middle > column.bottom
        and any(
            c.start > column.start and abs(c.edge - column.edge) < column.pitch for c in columns
        )
    )
    return not is_between and (not others or away <= _NEAR * column.pitch)


def _without_numbers(
    segments: Sequence[Segment], columns: Iterable[NumberColumn], cut: Cut
) -> list[Segment]:
    """Return the segments without their line numbers and the times next to these."""
    gone: set[int] = set()
    begun: dict[int, Number] = {}
    for column in columns:
        gone.update(id(s) for s in (*column.times, *column.duplicates))
        for number in column.numbers:
            if number.rest:
                begun[id(number.segments[0])] = number
            else:
                gone.update(id(s) for s in number.segments)
    out = []
    for s in segments:
        if id(s) in begun:
            rest = begun[id(s)].rest
            out.append(cut(s, _length(s.text) - _length(rest)))
        elif id(s) not in gone:
            out.append(s)
    return out


def _length(text: str) -> int:
    return len("".join(text.split()))


def cut_evenly(segment: Segment, count: int, /) -> Segment:
    """Return a level segment without its first characters, assuming equal widths."""
    seen = at = 0
    while seen < count:
        seen += not segment.text[at].isspace()
        at += 1
    rest = segment.text[at:].lstrip()
    share = (len(segment.text) - len(rest)) / max(len(segment.text), 1)
    box = segment.box
    return replace(
        segment,
        text=rest,
        u0=segment.u0 + share * (segment.u1 - segment.u0),
        box=Box(box.x0 + share * (box.x1 - box.x0), box.y0, box.x1, box.y1),
    )


def _part(column: NumberColumn, held: Sequence[Segment], label: str | None) -> NumberedPart:
    places = {n.value: n.segments[0].box for n in column.numbers}
    boxes = [*places.values(), *(s.box for s in held)]
    area = Box(
        min(b.x0 for b in boxes),
        min(b.y0 for b in boxes),
        max(b.x1 for b in boxes),
        max(b.y1 for b in boxes),
    )
    first, last = places[column.numbers[0].value], places[column.numbers[-1].value]
    across = abs(first.x0 - last.x0) > abs(first.y0 - last.y0)
    middles = {n: (b.x0 + b.x1) / 2 if across else (b.y0 + b.y1) / 2 for n, b in places.items()}
    values = sorted(middles)
    lines = dict(middles)
    for value in range(column.first, column.last + 1):
        if value not in lines:
            before = max(v for v in values if v < value)
            after = min(v for v in values if v > value)
            share = (value - before) / (after - before)
            lines[value] = middles[before] + share * (middles[after] - middles[before])
    times = {n.value: n.time for n in column.numbers if n.time}
    times |= {column.row(s): s.text.strip() for s in column.times}
    return NumberedPart(label, area, lines, across, times)


def _in_order(labels: Sequence[str | None]) -> list[int]:
    """Return the order of the pages on a sheet by their numbers, else the original order."""
    numbers = [int(label) for label in labels if label is not None]
    if len(numbers) != len(labels) or len(set(numbers)) != len(numbers):
        return list(range(len(labels)))
    return sorted(range(len(labels)), key=lambda i: int(labels[i] or 0))


def printed_on(page: Page, parts: Sequence[NumberedPart], /) -> tuple[PrintedPlace, ...]:
    """Return the places printed on a page that was laid out without them."""
    places: list[PrintedPlace] = []
    for part in parts:
        held = [n for n in page.lines if n.box is not None and part.holds(n.box)]
        if not held:
            continue
        if part.label is not None:
            whole = len(parts) == 1
            end = len(page.text) if whole else held[-1].end
            places.append(PrintedPlace("page", part.label, 0 if whole else held[0].start, end))
        lines: list[PrintedPlace] = []
        numbers = part.lines_at([line.box for line in held if line.box is not None])
        for line, number in zip(held, numbers, strict=True):
            if number is None:
                continue
            if lines and lines[-1].label == str(number):
                lines[-1] = replace(lines[-1], end=line.end)
            else:
                lines.append(PrintedPlace("line", str(number), line.start, line.end))
        places += lines
        places += [
            replace(line, kind="time", label=part.times[int(line.label)])
            for line in lines
            if int(line.label) in part.times
        ]
    return tuple(places)
