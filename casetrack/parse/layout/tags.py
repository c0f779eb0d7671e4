"""Elements of a document's structure tree, and the tables that they describe.

Tags give what geometry has to guess: which text is a heading, which cells form a row. They are
used where they agree with the page, see :func:`tagged_tables`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.extract.tables.header import MAX_LEVELS
from casetrack.parse.layout.tables_align import columns_of
from casetrack.parse.layout.tables_grid import are_filled, place_spanning
from casetrack.parse.layout.tables_model import Cell, Table, TableRow, with_symbols

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from casetrack.parse.layout.segments import Segment, TaggedCell


def tagged_tables(segments: Sequence[Segment], /) -> list[Table]:
    """Return the tables whose cells are tagged, except those that only arrange the page."""
    by_table: dict[Hashable, list[tuple[TaggedCell, Segment]]] = {}
    for s in segments:
        if s.tag is not None and s.tag.cell is not None:
            by_table.setdefault(s.tag.cell.table, []).append((s.tag.cell, s))
    tables = (_table(members) for members in by_table.values())
    return [table for table in tables if table is not None]


def _table(members: list[tuple[TaggedCell, Segment]]) -> Table | None:
    cells: dict[TaggedCell, Cell] = {}
    for place, s in members:
        cells.setdefault(place, Cell(place.column, place.columns, [])).segments.append(s)
    numbers = sorted({place.row for place in cells})
    rows = {number: TableRow([]) for number in numbers}
    tops = {n: min(c.v0 for p, c in cells.items() if p.row == n) for n in numbers}
    spanning, labels = [], list[tuple[float, TableRow]]()
    for place, cell in cells.items():
        bottom = max(s.v1 for s in cell.segments)
        below = [n for n in numbers if n > place.row]
        covered = [n for n in below if n < place.row + place.rows or tops[n] < bottom - 1]
        if covered:
            spanning.append((cell, [place.row, *covered]))
        else:
            rows[place.row].cells.append(cell)
    for cell, covered in sorted(spanning, key=lambda span: span[0].column):
        edges = [min((c.v0 for c in rows[n].cells), default=tops[n]) for n in covered[1:]]
        held = [rows[n].cells for n in covered]
        may_label = covered[0] > numbers[0]
        if not place_spanning(cell, held, edges, may_label=may_label):
            labels.append((covered[0] - 0.5, TableRow([cell])))
    by_place = sorted([*labels, *rows.items()], key=lambda item: item[0])
    filled = [row for _, row in by_place if row.cells]
    for row in filled:
        row.cells = with_symbols(sorted(row.cells, key=lambda cell: cell.column))
    used = sorted({cell.column for row in filled for cell in row.cells})
    number = {column: i for i, column in enumerate(used)}
    for row in filled:
        for cell in row.cells:
            inside = [number[c] for c in cell.columns if c in number]
            cell.column, cell.span = inside[0], len(inside)
    if not are_filled(filled, len(used)) or not _are_in_place(filled):
        return None
    heads = {place.row for place in cells} - {p.row for p in cells if not p.is_head}
    count = next((i for i, n in enumerate(numbers) if n not in heads), len(numbers))
    sources = [s for _, s in members]
    table = Table(columns_of(filled, len(used)), filled, sources, is_ruled=True)
    table.key = next(iter(cells)).table
    if 0 < count <= MAX_LEVELS and count < len(filled):
        table.header_rows, table.is_header_sure = count, True
        names = (i for i, row in enumerate(filled[:count]) if row.cells[-1].column > 0)
        table.title_rows = next(names, 0)
    return table


def _are_in_place(rows: Sequence[TableRow]) -> bool:
    """Return whether rows follow each other downwards, and their cells from side to side."""
    sides = {(b.u0 > a.u0) for row in rows for a, b in pairwise(row.cells)}
    return len(sides) == 1 and all(a.v0 < b.v0 for a, b in pairwise(rows))
