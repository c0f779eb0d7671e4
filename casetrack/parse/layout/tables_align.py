"""Tables detected by alignment: columns of short cells with white strips between them.

:func:`banded_tables` needs lines above and below, as in books and financial statements;
:func:`aligned_tables` uses rows of text alone and needs more evidence. Prose in columns, lists,
forms, tables of contents, signatures and code are not tables.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.extract.tables.model import is_value
from casetrack.parse.layout import tables_heads
from casetrack.parse.layout.tables_judge import is_tabular, joined_rows, rows_of_bands
from casetrack.parse.layout.tables_model import (
    NEAR,
    Stroke,
    Strokes,
    Table,
    TableRow,
    TextRow,
    middle,
    text_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.layout.segments import Segment

Strip = tuple[float, float]

_MIN_STRIP = 0.1
_MAX_GAP = 1.7
_MAX_SINGLE = 2
_MAX_HEAD = 4
_SECTION_CHARS = 70
_MIN_BAND, _ROW_CELLS = 60.0, 3
_SAME_EXTENT = 4.0
_MAX_TRIES = 40
_MAX_EXTENTS = 100
_SAME_BASE = 0.2


# Tables between horizontal lines.


def banded_tables(strokes: Strokes, ordered: Sequence[Segment], taken: set[int], /) -> list[Table]:
    """Return the tables between horizontal lines of equal extent; add their segments to *taken*."""
    tables: list[Table] = []
    for group in _same_extent(strokes.along):
        free = [s for s in ordered if id(s) not in taken]
        bands = [_band(above, below, free) for above, below in pairwise(group)]
        for run in _tabular_runs(bands, group[0].high - group[0].low):
            table = _banded(run, strokes.under)
            if table is not None and not is_incomplete(table, ordered):
                tables.append(table)
                taken.update(id(s) for s in table.sources)
    return tables


def _same_extent(strokes: Sequence[Stroke]) -> list[list[Stroke]]:
    """Group lines that begin and end at the same positions, from top to bottom."""
    groups: list[list[Stroke]] = []
    for stroke in sorted(strokes, key=lambda s: s.at):
        if stroke.high - stroke.low < _MIN_BAND:
            continue
        for group in groups:
            if (
                abs(group[0].low - stroke.low) <= _SAME_EXTENT
                and abs(group[0].high - stroke.high) <= _SAME_EXTENT
            ):
                group.append(stroke)
                break
        else:
            if len(groups) == _MAX_EXTENTS:
                # It is a drawing: tables have few widths.
                return []
            groups.append([stroke])
    return [group for group in groups if len(group) > 1]


def _band(above: Stroke, below: Stroke, ordered: Sequence[Segment]) -> list[TextRow]:
    """Return the rows between two lines; none if text extends beyond their ends."""
    first = bisect.bisect_left(ordered, above.at, key=lambda s: s.base)
    last = bisect.bisect_right(ordered, below.at + NEAR, key=lambda s: s.base)
    inside = []
    for s in ordered[first:last]:
        if not above.at <= (s.v0 + s.v1) / 2 <= below.at:
            continue
        if s.u1 > above.low - NEAR and s.u0 < above.high + NEAR:
            if s.u0 < above.low - s.size or s.u1 > above.high + s.size:
                return []
            inside.append(s)
    return text_rows(inside)


def _tabular_runs(bands: Sequence[list[TextRow]], wide: float) -> Iterator[list[list[TextRow]]]:
    run: list[list[TextRow]] = []
    for band in (*bands, None):
        if band is not None and (not band or _may_be_cells(band, wide)):
            if band:
                run.append(band)
            continue
        if sum(len(row.cells) > 1 for part in run for row in part) >= 2:
            yield run
        run = []


def _may_be_cells(band: Sequence[TextRow], wide: float) -> bool:
    several = sum(1 for row in band if len(row.cells) > 1)
    if 2 * several >= len(band) or len(band[0].cells) >= _ROW_CELLS:
        return True
    ends = (row.cells[-1].u1 - row.cells[0].u0 for row in band)
    return len(band) <= 2 and max(ends) <= 0.6 * wide


def _banded(bands: list[list[TextRow]], flats: Sequence[Stroke]) -> Table | None:
    head = 0
    if len(bands) > 1 and len(bands[0]) <= _MAX_HEAD and not _has_values(bands[0]):
        head = len(bands[0])
    lines = [line for band in bands for line in band]
    strips = _common_strips([line for line in lines[head:] if len(line.cells) > 1])
    if not strips:
        return None
    body = [tables_heads.row_between(line, strips) for line in lines[head:]]
    width = len(strips) + 1
    wrapped = _wrapped_rows(lines, [len(band) for band in bands if band], strips)
    if wrapped is not None:
        return wrapped
    if not is_tabular(body, width, is_banded=True):
        return None
    own = _own_head(body)
    if own:
        head, body = head + own, body[own:]
    columns = columns_of(body, width)
    while head and _is_title(lines[0], strips, columns):
        # The title of the table is text.
        del lines[0]
        bands[0] = bands[0][1:]
        head -= 1
    rows = [*tables_heads.head_rows(lines[:head], columns, strips, flats=flats), *body]
    sources = [s for row in rows for s in row.segments]
    by_band = rows_of_bands(rows, [len(band) for band in bands if band])
    if by_band is not None:
        return Table(columns, by_band, sources, is_ruled=True)
    table = Table(columns, rows[:head] + joined_rows(rows[head:]), sources)
    table.header_rows, table.is_header_sure = head, head > 0
    return table


def _wrapped_rows(
    lines: Sequence[TextRow], sizes: Sequence[int], strips: Sequence[Strip]
) -> Table | None:
    """Return a table with a line drawn between all rows, whose cells have several lines."""
    width = len(strips) + 1
    rows = rows_of_bands(
        [tables_heads.row_between(line, strips) for line in lines], sizes, is_wrapped=True
    )
    first = next((i for i, row in enumerate(rows or ()) if len(row.cells) > 1), 0)
    if rows is None or not is_tabular(rows[first:], width, is_banded=True, is_wrapped=True):
        return None
    rows = rows[first:]
    table = Table(columns_of(rows, width), rows, [s for r in rows for s in r.segments])
    table.is_ruled = True
    cells = [cell for row in rows[1:] for cell in row.cells]
    if all(c.is_bold for c in rows[0].cells) and not all(c.is_bold for c in cells):
        table.header_rows, table.is_header_sure = 1, True
    return table


def _is_title(line: TextRow, strips: Sequence[Strip], columns: Sequence[Strip]) -> bool:
    return len(line.cells) == 1 and not tables_heads.names_columns(
        tables_heads.row_between(line, strips), columns
    )


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


def _has_values(band: Sequence[TextRow]) -> bool:
    return any(cell.sort == "number" for line in band for cell in line.cells)


def _common_strips(lines: Sequence[TextRow]) -> list[Strip]:
    """Return the strips that almost no line crosses."""
    if len(lines) < 2:
        return []
    steps: list[tuple[float, int]] = []
    for line in lines:
        for cell in line.cells:
            steps += ((cell.start, 1), (cell.u1, -1))
    steps.sort()
    allowed = len(lines) // 10
    strips = []
    depth = 0
    start: float | None = None
    for at, step in steps:
        before, depth = depth, depth + step
        if before > allowed >= depth:
            start = at
        elif before <= allowed < depth and start is not None:
            if at - start >= _MIN_STRIP * lines[0].size:
                strips.append((start, at))
            start = None
    return strips


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
    columns = columns_of(body, width)
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
        if number in used:
            out.append(strip)
        elif out:
            out[-1] = (out[-1][0], strip[1])
    return out


def _own_head(rows: Sequence[TableRow]) -> int:
    """Count the rows at the top of a run that name the columns: words or years over amounts."""
    sorts = Counter((cell.column, cell.sort) for row in rows for cell in row.cells)
    days = {column for column, sort in sorts if sort == "day" and sorts[column, sort] > 2}
    below = {column for column, sort in sorts if sort == "number"} | days
    count = 0
    for row in rows[:_MAX_HEAD]:
        over = [cell for cell in row.cells if cell.column > 0]
        if count and not over and _is_tight(rows[count - 1], row):
            # The name of the first column continues below the others.
            count += 1
            continue
        are_values = any(c.sort == "number" or (c.sort == "day" and c.column in days) for c in over)
        if not over or are_values:
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


def columns_of(rows: Sequence[TableRow], width: int, /) -> list[Strip]:
    """Return the extent of the text of each column."""
    columns: list[Strip] = []
    for column in range(width):
        cells = [c for row in rows for c in row.cells if c.column == column and c.span == 1]
        last = columns[-1][1] if columns else 0.0
        columns.append(
            (min(c.u0 for c in cells), max(c.u1 for c in cells)) if cells else (last, last)
        )
    return columns
