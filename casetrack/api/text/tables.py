"""Rows of a table in a text as a Markdown table with aligned columns."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from casetrack.api.grid import Grid, make_grid

Piece = str | tuple[int, int]
"""Added text, or a half-open span of the text."""
_WIDEST = 140
"""Columns of the widest table; the rows of wider ones keep the names of their columns."""


class _Row(NamedTuple):
    text: str
    start: int


def with_tables(text: str, /) -> Iterator[Piece]:
    """Yield a text in pieces, with at least two rows of equal columns as a table."""
    at = done = 0
    rows: list[_Row] = []
    for line in text.splitlines(keepends=True):
        rows.append(_Row(line.rstrip("\n"), at))
        at += len(line)
    for is_table, group in groupby(rows, key=_may_be_row):
        held = [row for row in group if row.text]
        grid = make_grid(held) if is_table and len(held) > 1 else None
        table = list(_table(grid)) if grid is not None else []
        if table:
            if done < held[0].start:
                yield done, held[0].start
            yield from table
            done = held[-1].start + len(held[-1].text)
    if done < len(text) or not text:
        yield done, len(text)


def _may_be_row(row: _Row) -> bool:
    """Return whether a line can be a row, or the space between two; not the rest of a row."""
    return not row.text or (" | " in row.text and not row.text.startswith("|"))


def _table(grid: Grid) -> Iterator[Piece]:
    """Yield the pieces of a table; nothing if it is too wide or has other lines."""
    from rich.cells import cell_len

    names = [label for label, _ in grid.columns]
    rows = [row for row in grid.rows if not row.is_header]
    if len(rows) < 2 or not all(row.cells for row in rows):
        return
    spans = [
        {c.column: (row.block.start + c.start, row.block.start + c.end) for c in row.cells}
        for row in rows
    ]
    texts = [{c.column: row.block.text[c.start : c.end] for c in row.cells} for row in rows]
    widths = [
        max(cell_len(name), 3, *(cell_len(cells.get(column, "")) for cells in texts))
        for name, column in zip(names, grid.columns, strict=True)
    ]
    if sum(widths) + 3 * len(widths) + 1 > _WIDEST:
        return
    gaps = (" " * (width - cell_len(name)) for name, width in zip(names, widths, strict=True))
    yield f"| {' | '.join(map(''.join, zip(names, gaps, strict=True)))} |\n"
    yield f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    for span, cells in zip(spans, texts, strict=True):
        yield "\n|"
        for column, width in zip(grid.columns, widths, strict=True):
            yield " "
            if column in span:
                yield span[column]
            yield f"{' ' * (width - cell_len(cells.get(column, '')))} |"
