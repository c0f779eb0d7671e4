"""Lines of cells to rows: a cell whose text is wrapped makes one row of several lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.extract.tables.model import is_value
from casetrack.parse.layout.tables_model import Cell, TableRow

if TYPE_CHECKING:
    from collections.abc import Sequence

_JUMP = 0.3
_TIGHT = 0.5
_MAX_COMPLETE = 0.34


def rows_of_bands(lines: Sequence[TableRow], sizes: Sequence[int], /) -> list[TableRow] | None:
    """Return one row for each band between drawn lines, if the lines part rows.

    ``None`` where they part groups of rows: few lines, or several values under one another.
    """
    if len(sizes) < 3 or 2 * len(sizes) < len(lines):
        return None
    out = []
    at = 0
    for size in sizes:
        group = lines[at : at + size]
        at += size
        if _has_two_values(group):
            return None
        out.append(_joined(group))
    return out


def joined_rows(lines: Sequence[TableRow], /) -> list[TableRow]:
    """Join the lines of each row, by the distances between lines or by what is missing in them."""
    groups = _by_distance(lines) or _by_content(lines)
    return [_joined(group) for group in groups]


def _by_distance(lines: Sequence[TableRow]) -> list[list[TableRow]]:
    """Group lines by wide and narrow gaps, where there are two kinds of them."""
    if len(lines) < 4:
        return []
    size = lines[0].cells[0].segments[0].size
    gaps = [below.v0 - above.v1 for above, below in pairwise(lines)]
    ordered = sorted(gaps)
    jump, edge = max((b - a, (a + b) / 2) for a, b in pairwise(ordered))
    if jump < _JUMP * size or ordered[0] > _TIGHT * size:
        return []
    groups = [[lines[0]]]
    for gap, line in zip(gaps, lines[1:], strict=True):
        if gap > edge:
            groups.append([line])
        else:
            groups[-1].append(line)
    later = [(line, group[0]) for group in groups for line in group[1:]]
    complete = sum(1 for line, first in later if len(line.cells) >= len(first.cells))
    if len(groups) < 3 or any(map(_has_two_values, groups)):
        return []
    if complete > _MAX_COMPLETE * len(later) or any(len(g[0].cells) < 2 for g in groups):
        return []
    return groups


def _by_content(lines: Sequence[TableRow]) -> list[list[TableRow]]:
    """Group by what a line lacks: one without label and values goes on in the words above it."""
    groups: list[list[TableRow]] = []
    for line in lines:
        if groups and _goes_on(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _goes_on(group: Sequence[TableRow], line: TableRow) -> bool:
    above = group[-1]
    size = line.cells[0].segments[0].size
    if line.v0 - above.v1 > _TIGHT * size or len(group[0].cells) < 2:
        return False
    if len(line.cells) >= len(group[0].cells):
        return False
    wordy = {c.column for row in group for c in row.cells if not is_value(c.text)}
    if any(is_value(c.text) or c.span > 1 or c.column not in wordy for c in line.cells):
        return False
    if line.cells[0].column > 0:
        return True
    # A label goes on in a line of its own where that cannot be the label of another row.
    return len(line.cells) == 1 and line.cells[0].text[:1].islower()


def _has_two_values(group: Sequence[TableRow]) -> bool:
    seen: set[int] = set()
    for row in group:
        for cell in row.cells:
            if is_value(cell.text):
                if cell.column in seen:
                    return True
                seen.add(cell.column)
    return False


def _joined(group: Sequence[TableRow]) -> TableRow:
    """Join lines cell by cell; a cell over several columns takes up those below it."""
    if len(group) == 1:
        return group[0]
    cells: list[Cell] = []
    for cell in sorted((c for row in group for c in row.cells), key=lambda c: c.column):
        if cells and cell.column < cells[-1].column + cells[-1].span:
            last = cells[-1]
            last.segments = [*last.segments, *cell.segments]
            last.span = max(last.span, cell.column + cell.span - last.column)
        else:
            cells.append(Cell(cell.column, cell.span, list(cell.segments)))
    return TableRow(cells)
