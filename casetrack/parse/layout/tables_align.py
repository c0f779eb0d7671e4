"""Tables detected by alignment: columns of short cells with white strips between them.

:func:`banded_tables` needs lines above and below, as in books and financial statements;
:func:`aligned_tables` uses rows of text alone and needs more evidence. Prose in columns, lists,
forms, tables of contents, signatures and code are not tables.
"""

from __future__ import annotations

import bisect
import math
from typing import TYPE_CHECKING

from casetrack.extract.tables.model import is_value
from casetrack.parse.layout import tables_heads
from casetrack.parse.layout.tables_judge import is_tabular, joined_rows
from casetrack.parse.layout.tables_model import Table, TableRow, TextRow, middle, text_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.layout.segments import Segment

Strip = tuple[float, float]

_MIN_STRIP = 0.7
_MAX_GAP = 1.7
_MAX_SINGLE = 2
_MAX_HEAD = 4
_SECTION_CHARS = 70
_MAX_TRIES = 40
_SAME_BASE = 0.2


def is_incomplete(table: Table, ordered: Sequence[Segment], /) -> bool:
    """Return whether a table is incomplete: text between its rows or their names are outside."""
    held = {id(s) for s in table.sources}
    low, high = table.columns[0][0], table.columns[-1][1]
    top, bottom = table.rows[0].v1, table.rows[-1].v0
    for s in ordered:
        inside = top <= middle(s) <= bottom and s.u0 < high and s.u1 > low
        if inside and id(s) not in held and s.text.strip():
            return True
    body = table.rows[table.header_rows :]
    firsts = [row.cells[0] for row in body if row.cells[0].column == 0]
    if 2 * sum(is_value(cell.text) for cell in firsts) <= len(firsts):
        return False
    named = 0
    for row in body:
        s = row.cells[0].segments[0]
        first = bisect.bisect_left(ordered, s.base - _SAME_BASE * s.size, key=_base)
        last = bisect.bisect_right(ordered, s.base + _SAME_BASE * s.size, key=_base)
        named += any(other.u1 < row.cells[0].u0 for other in ordered[first:last])
    return 2 * named > len(body)


def _base(segment: Segment) -> float:
    return segment.base


# Tables of text rows without lines.


def aligned_tables(segments: Sequence[Segment], /) -> list[Table]:
    """Return the tables of one region of a page: runs of rows with cells in columns."""
    lines = text_rows(segments)
    if sum(1 for line in lines if len(line.cells) > 1) < 3:
        return []
    tables: list[Table] = []
    at = free = tries = 0
    while at < len(lines) and tries < _MAX_TRIES:
        if len(lines[at].cells) < 2:
            at += 1
            continue
        tries += 1
        end, strips = _grow(lines, at)
        # Names over values of other alignment can hide the strips between the columns.
        for below in range(at + 1, min(at + _MAX_HEAD, len(lines) - 2)):
            last, more = _grow(lines, below)
            if len(more) > len(strips) and last >= end and len(lines[below - 1].cells) > 1:
                at, end, strips = below, last, more
        table = _aligned(lines, free, at, end, strips)
        if table is None:
            # The rest of a long run is similar to its beginning.
            at += max(1, (end - at) // 4)
        else:
            tables.append(table)
            at = free = end
    return tables


def _grow(lines: Sequence[TextRow], start: int) -> tuple[int, list[Strip]]:
    """Follow rows downwards while the white strips between columns stay free."""
    strips = _gaps(lines[start])
    most = len(strips)
    end = at = start + 1
    while at < len(lines) and _is_next(lines[at - 1], lines[at]):
        line = lines[at]
        at += 1
        if len(line.cells) == 1:
            if at - end > _MAX_SINGLE or len(line.cells[0].text) > _SECTION_CHARS:
                break
            continue
        left = _shared(strips, _gaps(line), line.size)
        if len(left) < 3 or len(left) - 2 < 0.7 * (most - 2):
            break
        strips, most, end = left, max(most, len(left)), at
    return end, strips[1:-1]


def _gaps(line: TextRow) -> list[Strip]:
    """Return the white strips of a line, including those outside of it."""
    ends = [-math.inf, *(x for cell in line.cells for x in (cell.start, cell.u1)), math.inf]
    return list(zip(ends[::2], ends[1::2], strict=True))


def _shared(strips: Sequence[Strip], others: Sequence[Strip], size: float) -> list[Strip]:
    out = []
    i = j = 0
    while i < len(strips) and j < len(others):
        low, high = max(strips[i][0], others[j][0]), min(strips[i][1], others[j][1])
        if high - low >= _MIN_STRIP * size:
            out.append((low, high))
        if strips[i][1] < others[j][1]:
            i += 1
        else:
            j += 1
    return out


def _is_next(above: TextRow, below: TextRow) -> bool:
    size = max(above.size, below.size)
    return below.v0 - above.v1 <= _MAX_GAP * size and size <= 1.35 * min(above.size, below.size)


def _aligned(
    lines: Sequence[TextRow], free: int, start: int, end: int, strips: Sequence[Strip]
) -> Table | None:
    if end - start < 3 or not strips:
        return None
    own = _own_head([tables_heads.row_between(line, strips) for line in lines[start:end]])
    strips = _without_empty(lines[start + own : end], strips)
    body = [tables_heads.row_between(line, strips) for line in lines[start + own : end]]
    width = len(strips) + 1
    if not is_tabular(body, width, is_banded=False):
        return None
    columns = _columns(body, width)
    head = tables_heads.head_rows(lines[start : start + own], columns, strips)
    rows = head + joined_rows(body)
    sources = [s for row in rows for s in row.segments]
    table = Table(columns, rows, sources, header_rows=own, is_header_sure=True)
    tables_heads.take_names_above(table, [s for line in lines[free:start] for s in line.segments])
    return table


def _without_empty(lines: Sequence[TextRow], strips: Sequence[Strip]) -> list[Strip]:
    """Remove columns that contain only names in the space next to their values."""
    used = {cell.column for line in lines for cell in tables_heads.row_between(line, strips).cells}
    out: list[Strip] = []
    for number, strip in enumerate(strips):
        if number in used or not out:
            out.append(strip)
        else:
            out[-1] = (out[-1][0], strip[1])
    return out


def _own_head(rows: Sequence[TableRow]) -> int:
    """Count the rows at the top of a run that name the columns: words or years over amounts."""
    below = {
        cell.column for row in rows for cell in row.cells if cell.column and cell.sort == "number"
    }
    count = 0
    for row in rows[:_MAX_HEAD]:
        over = [cell for cell in row.cells if cell.column > 0]
        if count and not over and _is_tight(rows[count - 1], row):
            # The name of the first column continues below the others.
            count += 1
            continue
        if not over or any(c.sort == "number" for c in over):
            break
        held = {c.column for c in row.cells}
        # A name aligned left above numbers aligned right is in the space before them.
        near = held | {c.column + 1 for c in over}
        if len(row.cells) < 2 or not below.intersection(near - {0}):
            break
        count += 1
    return count if len(rows) - count >= 3 else 0


def _is_tight(above: TableRow, below: TableRow) -> bool:
    return below.v0 - above.v1 <= 0.3 * below.segments[0].size


# Used by both.


def _columns(rows: Sequence[TableRow], width: int) -> list[Strip]:
    columns: list[Strip] = []
    for column in range(width):
        cells = [c for row in rows for c in row.cells if c.column == column and c.span == 1]
        last = columns[-1][1] if columns else 0.0
        columns.append(
            (min(c.u0 for c in cells), max(c.u1 for c in cells)) if cells else (last, last)
        )
    return columns
