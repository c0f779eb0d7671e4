"""Model of a table before it becomes lines: cells by column, rows from top to bottom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.groups import in_runs
from casetrack.extract.tables.carry import part_tables
from casetrack.extract.tables.model import MONEY_SIGNS, Sort, is_value, sort_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from casetrack.parse.layout.segments import Segment

# Drawn lines and shaded areas of a page: the evidence for ruled tables, independent of any parser.

THIN = 3.0
"""A rectangle that is not thicker than this, in points, is a line."""

NEAR = 3.0
"""Lines with ends closer than this, in points, meet."""

_GAP, _TOUCHING = 6.0, 1.0
_MAX_STROKES = 4000
_SAMPLE = 64
_SPREAD = 1.0

Turn = tuple[int, float, float]
"""A quarter turn (0 to 3) of the displayed page into the frame of a flow, and the offsets."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A drawn line or a shaded area (both sides over ``THIN``), in points on the displayed page."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Stroke:
    """A line along one axis: its position on the other axis, and its ends."""

    at: float
    low: float
    high: float


@dataclass(slots=True)
class Strokes:
    """The lines of a page in the frame of a flow; *along* and *across* include edges of areas.

    *under* has each piece of a horizontal line and each lower edge separately.
    """

    along: list[Stroke]
    across: list[Stroke]
    areas: list[tuple[float, float, float, float]]
    under: list[Stroke]


def strokes_in_frame(rules: Sequence[Rule], segments: Sequence[Segment], /) -> Strokes | None:
    """Transform rules into the frame of a flow; ``None`` without a frame or with too many."""
    if not rules or len(rules) > _MAX_STROKES:
        return None
    turn = _turn_of(segments)
    if turn is None:
        return None
    along: list[Stroke] = []
    across: list[Stroke] = []
    areas = []
    drawn: list[Stroke] = []
    edges: list[Stroke] = []
    for rule in rules:
        u0, v0, u1, v1 = _turned(rule, turn)
        if v1 - v0 <= THIN and u1 - u0 > v1 - v0:
            drawn.append(Stroke((v0 + v1) / 2, u0, u1))
        elif u1 - u0 <= THIN:
            across.append(Stroke((u0 + u1) / 2, v0, v1))
        else:
            areas.append((u0, v0, u1, v1))
            edges.append(Stroke(v1, u0, u1))
            along += (Stroke(v0, u0, u1), Stroke(v1, u0, u1))
            across += (Stroke(u0, v0, v1), Stroke(u1, v0, v1))
    under = sorted(_joined(drawn, _TOUCHING) + edges, key=lambda s: (s.at, s.low))
    return Strokes(_joined(along + drawn), _joined(across), areas, under)


def clusters(values: Iterable[float], /, near: float = NEAR) -> list[float]:
    """Return the means of groups of values within *near*, in ascending order."""
    groups = in_runs(sorted(values), lambda group, value: value - group[0] <= near)
    return [sum(group) / len(group) for group in groups]


def _joined(strokes: list[Stroke], gap: float = _GAP) -> list[Stroke]:
    """Join pieces of one line within a distance; lines drawn twice count once."""
    strokes.sort(key=lambda s: s.at)
    out: list[Stroke] = []
    at = 0
    while at < len(strokes):
        end = at
        while end < len(strokes) and strokes[end].at - strokes[at].at <= NEAR:
            end += 1
        place = sum(s.at for s in strokes[at:end]) / (end - at)
        out += _merged(sorted(strokes[at:end], key=lambda s: s.low), place, gap)
        at = end
    return out


def _merged(group: list[Stroke], place: float, gap: float) -> list[Stroke]:
    out: list[Stroke] = []
    for stroke in group:
        if out and stroke.low <= out[-1].high + gap:
            out[-1].high = max(out[-1].high, stroke.high)
        else:
            out.append(Stroke(place, stroke.low, stroke.high))
    return out


_TURNS: tuple[Callable[[float, float, float, float], tuple[float, float, float, float]], ...] = (
    lambda x0, y0, x1, y1: (x0, y0, x1, y1),
    lambda x0, y0, x1, y1: (-y1, x0, -y0, x1),
    lambda x0, y0, x1, y1: (-x1, -y1, -x0, -y0),
    lambda x0, y0, x1, y1: (y0, -x1, y1, -x0),
)


def _turn_of(segments: Sequence[Segment]) -> Turn | None:
    """Return the rotation and offset from the page to the frame; ``None`` if segments disagree."""
    sample = segments[:: max(1, len(segments) // _SAMPLE)]
    for number, turned in enumerate(_TURNS):
        left, top = [], []
        for s in sample:
            u0, v0, _, _ = turned(s.box.x0, s.box.y0, s.box.x1, s.box.y1)
            left.append(s.u0 - u0)
            top.append(s.v0 - v0)
        if max(left) - min(left) < _SPREAD and max(top) - min(top) < _SPREAD:
            return number, left[0], top[0]
    return None


def _turned(rule: Rule, turn: Turn) -> tuple[float, float, float, float]:
    number, left, top = turn
    u0, v0, u1, v1 = _TURNS[number](rule.x0, rule.y0, rule.x1, rule.y1)
    return u0 + left, v0 + top, u1 + left, v1 + top


CELL_GAP = 0.75
"""Minimum gap between cells, as a share of the font size."""

_KNOWN, _MAX_BETWEEN = 4096, 8
_OVERLAP = 0.6
_SAME_WIDTH = 4.0
_CLOSING_GAP, _NOTE_GAP = 1.5, 0.5
_SYMBOL = re.compile(rf"[(]?(?:US|C|A|HK)?[{MONEY_SIGNS}](?:\s*[(])?|[(]")
_CLOSING = re.compile(r"[)%*\u2020]{1,3}")
_NOTE = re.compile(r"[*\u2020]{1,3}")


@dataclass(slots=True)
class Cell:
    """A cell with text: its first column, the number of columns, and its segments."""

    column: int
    span: int
    segments: list[Segment]

    @property
    def columns(self) -> range:
        """The columns that it spans."""
        return range(self.column, self.column + self.span)

    @property
    def u0(self) -> float:
        """Left edge of its text."""
        if len(self.segments) == 1:
            return self.segments[0].u0
        return min(s.u0 for s in self.segments)

    @property
    def u1(self) -> float:
        """Right edge of its text."""
        if len(self.segments) == 1:
            return self.segments[0].u1
        return max(s.u1 for s in self.segments)

    @property
    def v0(self) -> float:
        """Top of its text."""
        return min(s.v0 for s in self.segments)

    @property
    def start(self) -> float:
        """Left edge of its text without a currency sign, before which there is almost no gap."""
        if len(self.segments) == 1:
            return self.segments[0].u0
        return min((s.u0 for s in self.segments if not is_symbol(s.text)), default=self.u0)

    @property
    def text(self) -> str:
        """Its text in line order, to distinguish words from values."""
        if len(self.segments) == 1:
            return self.segments[0].text.strip()
        ordered = sorted(self.segments, key=lambda s: (round(s.base), s.u0))
        return " ".join(s.text.strip() for s in ordered)

    @property
    def sort(self) -> Sort:
        """Class of its content, such as a number, a year or words."""
        return sort_of(self.text)

    @property
    def is_bold(self) -> bool:
        """Whether all of its text is bold."""
        return all(s.bold for s in self.segments)


@dataclass(slots=True)
class TableRow:
    """The cells of a row with text, from left to right."""

    cells: list[Cell]
    is_shaded: bool = False

    @property
    def segments(self) -> list[Segment]:
        """All segments of the row."""
        return [s for cell in self.cells for s in cell.segments]

    @property
    def v0(self) -> float:
        """Top of its text."""
        return min(s.v0 for s in self.segments)

    @property
    def v1(self) -> float:
        """Bottom of its text."""
        return max(s.v1 for s in self.segments)


@dataclass(slots=True)
class Table:
    """A table of a page.

    *columns* are extents; *sources* are segments of the page, of which cells may have parts.
    *header_rows* includes *title_rows*; *is_header_sure* means evidence other than the position.
    *key* is the table's element in the document's structure, which can continue on other pages.
    """

    columns: list[tuple[float, float]]
    rows: list[TableRow]
    sources: list[Segment]
    is_ruled: bool = False
    title_rows: int = 0
    header_rows: int = 0
    is_header_sure: bool = False
    key: Hashable = None


class ColumnCarry:
    """The last table before a place, and its header, which can hold for the table that follows."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget the table."""
        self.table: Table | None = None
        self.names: str | None = None
        self._between: list[str] = []

    def remember(self, table: Table, names: str | None, /) -> None:
        """Set the last table and its header, ``None`` without one."""
        self.table, self.names, self._between = table, names, []

    def pass_text(self, lines: Iterable[str], /) -> None:
        """Read text below the table; after too much text the next table is a new one."""
        self._between += lines
        if part_tables(self._between) or len(self._between) > _MAX_BETWEEN:
            self.clear()

    def continues(self, table: Table, names: str | None = None, /) -> bool:
        """Return whether a table continues: the same header, or none and the same columns."""
        if self.table is None:
            return False
        return self.have_same_columns(self.table, table) if names is None else names == self.names

    def have_same_columns(self, above: Table, table: Table, /) -> bool:
        """Return whether columns have equal positions, or equal widths between drawn lines."""
        if len(above.columns) != len(table.columns):
            return False
        if above.key is not None and table.key is not None:
            return above.key == table.key
        pairs = list(zip(above.columns, table.columns, strict=True))
        are_drawn = above.is_ruled and table.is_ruled
        if are_drawn and all(abs((b - a) - (d - c)) <= _SAME_WIDTH for (a, b), (c, d) in pairs):
            return True
        return all(min(b, d) - max(a, c) >= 0.5 * min(b - a, d - c) for (a, b), (c, d) in pairs)


@dataclass(slots=True)
class TextRow:
    """A row of text: stretches of segments separated by wide gaps."""

    cells: list[Cell] = field(default_factory=list)

    def __post_init__(self) -> None:
        segments = self.segments
        self.main = max(segments, key=lambda s: s.size)
        self.v0 = min(s.v0 for s in segments)
        self.v1 = max(s.v1 for s in segments)

    main: Segment = field(init=False)
    v0: float = field(init=False)
    v1: float = field(init=False)

    @property
    def segments(self) -> list[Segment]:
        """All of its segments."""
        return [s for cell in self.cells for s in cell.segments]

    @property
    def base(self) -> float:
        """Baseline of its largest text."""
        return self.main.base

    @property
    def size(self) -> float:
        """Size of its largest text."""
        return self.main.size


def text_rows(segments: Iterable[Segment], /) -> list[TextRow]:
    """Group segments of equal height into rows, from top to bottom."""
    ordered = sorted((s for s in segments if s.text.strip()), key=lambda s: (s.base, s.u0))
    groups = in_runs(ordered, lambda group, s: _shares_line(group[0], s))
    return [TextRow(_stretches(group)) for group in groups]


def _shares_line(first: Segment, s: Segment) -> bool:
    height = min(first.v1 - first.v0, s.v1 - s.v0)
    return min(first.v1, s.v1) - max(first.v0, s.v0) >= _OVERLAP * height


def _stretches(group: list[Segment]) -> list[Cell]:
    ordered = sorted(group, key=lambda s: s.u0)
    cells = [Cell(0, 1, [ordered[0]])]
    for a, b in pairwise(ordered):
        gap = (b.u0 - max(a.u1, cells[-1].u1)) / max(a.size, b.size)
        if (gap > CELL_GAP or b.is_placed) and not _leads_on(cells[-1], b):
            cells.append(Cell(0, 1, [b]))
        else:
            cells[-1].segments.append(b)
    return with_symbols(cells)


def _leads_on(cell: Cell, b: Segment) -> bool:
    """Return whether a segment continues the dots after a label."""
    return not b.text.strip(". ") and cell.text[-1:] == "." and any(map(str.isalpha, cell.text))


def with_symbols(cells: Sequence[Cell], /) -> list[Cell]:
    """Join a separate currency sign or bracket to its number."""
    out: list[Cell] = []
    for cell in cells:
        opens = out and is_symbol(out[-1].text) and is_value(cell.text)
        closes = out and _closes(out[-1], cell) and is_value(out[-1].text)
        if opens or closes:
            place = cell if opens else out[-1]
            out[-1] = Cell(place.column, place.span, [*out[-1].segments, *cell.segments])
        else:
            out.append(cell)
    return out


def _closes(before: Cell, cell: Cell) -> bool:
    """Return whether a cell is a bracket, percent sign or mark close after a number."""
    text = cell.segments[0].text.strip()
    if len(cell.segments) > 1 or not _CLOSING.fullmatch(text):
        return False
    near = _NOTE_GAP if _NOTE.fullmatch(text) else _CLOSING_GAP
    return cell.u0 - before.u1 <= near * cell.segments[0].size


@lru_cache(_KNOWN)
def is_symbol(text: str, /) -> bool:
    """Return whether a text is a currency sign or opening bracket of the next number."""
    return bool(_SYMBOL.fullmatch(text.strip()))


def middle(segment: Segment, /) -> float:
    """Return the middle of a segment across its line."""
    return (segment.v0 + segment.v1) / 2
