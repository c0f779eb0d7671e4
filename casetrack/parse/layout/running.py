"""Running heads and feet: lines at the edge of many pages that are not part of the text.

Three conditions together identify such a line: it is near the page's edge and set apart from the
text; it appears (except its page number) at the same height on three pages or more; and most
pages between the first and the last have it and no other text there. Lines that repeat further
inside (the header row of a table, a clause) are text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from casetrack.base.groups import in_runs
from casetrack.base.numerals import roman_value
from casetrack.parse.layout.segments import Segment, join_segments

Edge = Literal["top", "bottom"]
_Key = tuple[str, Edge, str]

_ZONE = 0.14
_MIN_PAGES = 3
_SHARE, _LOOSE_SHARE = 0.2, 0.4
_MAX_ROWS = 6
_MAX_CHARS = 250
_CELL_GAP = 1.5
_JITTER = 4.0
_USUAL_FROM, _MIN_LETTERS = 4, 2
_PAGE_NUMBER = re.compile(
    r"(?:(?:page|pg\.?|p\.|seite|s\.|pagina|página|blatt)\s*)?[-\u2013\u2014\[(|~]*\s*"
    r"(?P<label>(?:[a-z]{1,3}-)?(?P<number>\d{1,8}|[ivxlc]{1,8}))"
    r"(?:\s*(?:of|/|von|de|di|sur|van|\|)\s*\d{1,5})?\s*[-\u2013\u2014\])|~]*",
    re.IGNORECASE,
)
_PAGE_PART = re.compile(
    r"\b(?:page|pg\.?|seite|pagina|página|blatt)\s*\d+(?:\s*(?:of|/|von|de|di|sur|van)\s*\d+)?",
    re.IGNORECASE,
)
_LAST_NUMBER = re.compile(r"\s\d{1,4}$|^\d{1,4}\s(?=\D*$)")
_DIGITS = re.compile(r"\d+")
_NO_KEY = re.compile(r"[^\w#]+")
# Numbers after these words identify the thing: Schedule 1 and Schedule 2 are two headings.
_NAMES_THING = re.compile(
    r"\b(?:article|chapter|part|title|schedule|exhibit|annex|appendix|attachment|section|clause|"
    r"table|figure|invoice|order|item|ticket|claim|policy|account|receipt|question|case|no|nr|"
    r"number|step|unit|lesson|week|day|slide|kapitel|teil|anlage|rechnung|artikel|abschnitt)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Split:
    """A page split into its text and its running lines.

    *left_out* has identities of segments outside the text. *head* and *foot* are new rows of these,
    *header* and *footer* running lines of earlier pages; *page_label* is the printed page number.
    """

    left_out: set[int] = field(default_factory=set)
    head: list[list[Segment]] = field(default_factory=list)
    foot: list[list[Segment]] = field(default_factory=list)
    header: str | None = None
    footer: str | None = None
    page_label: str | None = None


@dataclass(slots=True)
class _Cell:
    """A stretch of text of a row, with its forms for comparison."""

    segments: list[Segment]
    text: str
    exact: str
    loose: str
    number: int | None


@dataclass(slots=True)
class _Row:
    cells: list[_Cell]
    distance: float
    jitter: float
    is_apart: bool


@dataclass(slots=True)
class RunningLines:
    """Learns lines that repeat at the edges of a document's pages, and splits pages accordingly."""

    _seen: dict[_Key, dict[int, tuple[float, bool]]] = field(default_factory=dict)
    _rows: dict[tuple[Edge, int], list[tuple[float, list[_Key]]]] = field(default_factory=dict)
    _pages: list[int] = field(default_factory=list)
    _first_pages: dict[str, int] = field(default_factory=dict)
    _known: dict[tuple[_Key, int, int], bool] = field(default_factory=dict)
    _ahead: dict[int, tuple[int, dict[Edge, list[_Row]]]] = field(default_factory=dict)

    def learn(self, number: int, segments: Sequence[Segment], height: float, /) -> None:
        """Learn from the upright segments of a page in advance."""
        margins = _margins(segments, height)
        self._ahead[number] = len(segments), margins
        self._record(number, margins)

    def _record(self, number: int, margins: dict[Edge, list[_Row]]) -> None:
        at = bisect.bisect_left(self._pages, number)
        if at < len(self._pages) and self._pages[at] == number:
            return
        self._pages.insert(at, number)
        for edge, rows in margins.items():
            known = self._rows[edge, number] = []
            for row in rows:
                keys = [key for cell in row.cells for key in _keys(edge, cell, number)]
                known.append((row.distance, keys))
                for key in keys:
                    self._seen.setdefault(key, {}).setdefault(number, (row.distance, row.is_apart))

    def split(self, number: int, segments: Sequence[Segment], height: float, /) -> Split:
        """Split a page, learned before or now; pages come in order."""
        count, margins = self._ahead.pop(number, (-1, {}))
        if count != len(segments):
            # Not learned before, or read again in another way.
            margins = _margins(segments, height)
        self._record(number, margins)
        result = Split()
        for edge, rows in margins.items():
            texts = []
            for row in rows if edge == "top" else reversed(rows):
                kept, dropped = self._sort(edge, row, number)
                taken = [s for cell in (*kept, *dropped) for s in cell.segments]
                result.left_out.update(map(id, taken))
                texts += [cell.text for cell in dropped]
                numbers = (c.text for c in (*kept, *dropped) if c.number is not None)
                result.page_label = result.page_label or next(map(_label, numbers), None)
                if kept:
                    first = [s for cell in kept for s in cell.segments]
                    (result.head if edge == "top" else result.foot).append(first)
            if edge == "top":
                result.header = " ".join(texts) or None
            else:
                result.footer = " ".join(texts) or None
        return result

    def _sort(self, edge: Edge, row: _Row, number: int) -> tuple[list[_Cell], list[_Cell]]:
        """Return a row's running cells: new ones, and those of earlier pages."""
        kept: list[_Cell] = []
        dropped: list[_Cell] = []
        for cell in row.cells:
            first = self._first_pages.setdefault(cell.loose, number)
            if any(self._is_running(key, row) for key in _keys(edge, cell, number)):
                (kept if first == number else dropped).append(cell)
        return kept, dropped

    def _is_running(self, key: _Key, row: _Row) -> bool:
        known = (key, round(row.distance), len(self._pages))
        if known not in self._known:
            self._known[known] = self._judge(key, row)
        return self._known[known]

    def _judge(self, key: _Key, row: _Row) -> bool:
        """Compare the number of pages with a line at this height with those between without one."""
        at = {
            page: is_apart
            for page, (distance, is_apart) in self._seen.get(key, {}).items()
            if abs(distance - row.distance) <= row.jitter
        }
        if len(at) < _MIN_PAGES:
            return False
        first = bisect.bisect_left(self._pages, min(at))
        between = self._pages[first : bisect.bisect_right(self._pages, max(at))]
        if len(at) < (_LOOSE_SHARE if key[0] == "loose" else _SHARE) * len(between):
            return False
        if key[0] == "number":
            return True
        others = [page for page in between if page not in at]
        inside = sum(1 for page in others if self._has_text(key[1], page, row.distance))
        return 2 * sum(at.values()) >= len(at) and 2 * inside <= max(len(others), 1)

    def _has_text(self, edge: Edge, page: int, distance: float) -> bool:
        """Return whether a line that does not repeat is as near to a page's edge as *distance*."""
        return any(
            near <= distance + _JITTER
            and not any(len(self._seen[key]) >= _MIN_PAGES for key in keys)
            for near, keys in self._rows[edge, page]
        )


def _keys(edge: Edge, cell: _Cell, number: int) -> list[_Key]:
    """Return the count keys of a cell; page numbers count as offset from the page's position."""
    if cell.number is not None:
        return [("number", edge, str(cell.number - number))]
    keys: list[_Key] = [("exact", edge, cell.exact)]
    if cell.loose != cell.exact and not _NAMES_THING.search(cell.text):
        keys.append(("loose", edge, cell.loose))
    return keys


def _margins(segments: Sequence[Segment], height: float) -> dict[Edge, list[_Row]]:
    """Return the rows near the edges that may be running lines, outermost first."""
    rows = _rows([s for s in segments if s.text.strip()])
    if not rows or height <= 0:
        return {"top": [], "bottom": []}
    gaps = [_top(b) - _bottom(a) for a, b in pairwise(rows)]
    return {
        "top": _margin(rows, gaps, height, is_top=True),
        "bottom": _margin(rows[::-1], gaps[::-1], height, is_top=False),
    }


def _margin(
    rows: list[list[Segment]], gaps: list[float], height: float, *, is_top: bool
) -> list[_Row]:
    near: list[tuple[list[Segment], float]] = []
    for row in rows[:_MAX_ROWS]:
        top, bottom = _top(row), _bottom(row)
        middle = (top + bottom) / 2 if is_top else height - (top + bottom) / 2
        if middle > _ZONE * height:
            break
        near.append((row, top if is_top else height - bottom))
    end = _end_of_margin([row for row, _ in near], rows, gaps, is_top=is_top)
    margin = []
    for i, (row, distance) in enumerate(near):
        cells = [cell for cell in map(_cell, _stretches(row)) if cell is not None]
        if i > 0 and i >= end:
            # A number further inside may have any meaning.
            cells = [cell for cell in cells if cell.number is None]
        margin.append(_Row(cells, distance, _jitter(row), is_apart=i < end))
    return margin


def _end_of_margin(
    near: list[list[Segment]], rows: list[list[Segment]], gaps: list[float], *, is_top: bool
) -> int:
    """Return how many rows near an edge precede the last gap that separates them from the text."""
    inside = [gap for gap in gaps if gap > -1.0]
    usual = max(sorted(inside)[len(inside) // 2], 0.0) if len(inside) > _USUAL_FROM else 0.0
    end = 0
    for i, row in enumerate(near):
        if is_top and _heads_table(row, rows[i + 1 : i + 3]):
            break
        size = max(s.size for s in row)
        if i == len(gaps) or gaps[i] > max(usual + 0.35 * size, 0.55 * size):
            end = i + 1
    return end


def _jitter(row: list[Segment]) -> float:
    """Return the tolerance for the height of a row from page to page, larger on scans."""
    size = max(s.size for s in row)
    if any(s.confidence is not None for s in row):
        return max(3 * _JITTER, size)
    return max(_JITTER, 0.5 * size)


def _rows(segments: list[Segment]) -> list[list[Segment]]:
    """Group segments of equal height into rows, from top to bottom of the displayed page."""

    def joins(row: list[Segment], s: Segment) -> bool:
        end = row[0].box.y1 - 0.2 * (row[0].box.y1 - row[0].box.y0)
        return (s.box.y0 + s.box.y1) / 2 < end

    return in_runs(sorted(segments, key=lambda s: s.box.y0 + s.box.y1), joins)


def _top(row: list[Segment]) -> float:
    return min(s.box.y0 for s in row)


def _bottom(row: list[Segment]) -> float:
    return max(s.box.y1 for s in row)


def _stretches(row: list[Segment]) -> list[list[Segment]]:
    def joins(run: list[Segment], s: Segment) -> bool:
        return s.box.x0 - run[-1].box.x1 <= _CELL_GAP * max(run[-1].size, s.size)

    return in_runs(sorted(row, key=lambda s: s.box.x0), joins)


def _heads_table(row: list[Segment], following: Sequence[list[Segment]]) -> bool:
    """Return whether a row heads a table: several cells, and cells below two of them."""
    cells = _stretches(row)
    if len(cells) < 3:
        return False
    edges = [(c[0].box.x0, c[-1].box.x1) for c in cells]
    above = row
    for below in following:
        others = _stretches(below)
        if _top(below) - _bottom(above) > 2.5 * max(s.size for s in row):
            return False
        shared = 0
        for other in others:
            x0, x1 = other[0].box.x0, other[-1].box.x1
            shared += any(
                abs(a - x0) < 3 or abs(b - x1) < 3 or abs(a + b - x0 - x1) < 6 for a, b in edges
            )
        if shared >= 2 or len(others) > 1:
            return shared >= 2
        above = below
    return False


def _cell(segments: list[Segment]) -> _Cell | None:
    text = " ".join(join_segments(segments).split())
    if not text or len(text) > _MAX_CHARS:
        return None
    page = page_number(text)
    if page is not None:
        return _Cell(segments, text, "#", "#", page)
    exact = _PAGE_PART.sub("#", text)
    if not _NAMES_THING.search(exact):
        exact = _LAST_NUMBER.sub(" # ", exact)
    exact = _NO_KEY.sub("", exact.lower())
    loose = _DIGITS.sub("#", exact)
    if sum(map(str.isalpha, exact)) < _MIN_LETTERS:
        return None
    return _Cell(segments, text, exact, loose, None)


def _label(text: str) -> str | None:
    match = _PAGE_NUMBER.fullmatch(text.strip())
    return match["label"] if match else None


def page_number(text: str, /) -> int | None:
    """Return the number of a line that is only a page number: ``- 12 -``, ``iv``."""
    match = _PAGE_NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = match["number"].lower()
    if digits.isdigit():
        return int(digits)
    return roman_value(digits)
