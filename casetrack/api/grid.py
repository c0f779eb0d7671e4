"""Grids of table rows with the form ``Header: value | Header: value``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Block(Protocol):
    """A row of a table."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def start(self) -> int:
        """Code points before it."""


_SEPARATOR = " | "
_LABEL_END = ": "
Column = tuple[str, int]
"""A label and its earlier occurrences in the row: two columns can have the same name."""
PLAIN = ("", 0)
"""Column of cells without a label."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its column, and the half-open span of its value in the row's text."""

    column: Column
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row: its block, and its cells; without cells it spans the whole grid."""

    block: Block
    cells: tuple[Cell, ...]
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows, and columns from left to right."""

    columns: tuple[Column, ...]
    rows: tuple[GridRow, ...]

    @property
    def has_header(self) -> bool:
        """Whether one of the rows names the columns."""
        return any(row.is_header for row in self.rows)


def make_grid(blocks: Sequence[Block], /) -> Grid | None:
    """Return the rows as a grid; ``None`` if they have fewer than two columns."""
    labels = _labels(blocks)
    parsed = [_cells(block.text, labels) for block in blocks]
    columns = _in_order([[c.column for c in cells] for cells in parsed if cells])
    if len(columns) < 2:
        return None
    return Grid(columns, tuple(_rows(blocks, parsed, columns)))


def _parts(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for part in text.split(_SEPARATOR):
        spans.append((start, start + len(part)))
        start += len(part) + len(_SEPARATOR)
    return spans


def _labels(blocks: Sequence[Block]) -> frozenset[str]:
    """Return the texts before a colon at the start of cells that are labels of columns.

    These are texts that several rows share, or that a row of plain cells above contains. In a
    single row, every text before a colon is a label.
    """
    counts: Counter[str] = Counter()
    named: set[str] = set()
    for block in blocks:
        parts = [block.text[a:b] for a, b in _parts(block.text)]
        starts = {p.partition(_LABEL_END)[0] for p in parts if _LABEL_END in p} - {""}
        counts.update(starts)
        if len(parts) > 1 and not starts:
            named.update(p.strip() for p in parts)
    return frozenset(n for n, count in counts.items() if count > 1 or n in named or len(blocks) < 3)


def _cells(text: str, labels: frozenset[str]) -> tuple[Cell, ...]:
    """Split a row at its labels; a part without one belongs to the value before it."""
    cells: list[Cell] = []
    seen: Counter[str] = Counter()
    for start, end in _parts(text):
        label, colon, _ = text[start:end].partition(_LABEL_END)
        if colon and label in labels:
            cells.append(Cell((label, seen[label]), start + len(label) + len(colon), end))
            seen[label] += 1
        elif cells:
            cells[-1] = Cell(cells[-1].column, cells[-1].start, end)
        else:
            cells.append(Cell(PLAIN, start, end))
    return tuple(cells) if seen else ()


def _in_order(rows: Sequence[Sequence[Column]]) -> tuple[Column, ...]:
    """Merge the columns of all rows; a new column follows its predecessor in its row."""
    merged: list[Column] = []
    for row in rows:
        place = 0
        for column in row:
            if column in merged:
                place = merged.index(column) + 1
            else:
                merged.insert(place, column)
                place += 1
    return tuple(merged)


def _rows(
    blocks: Sequence[Block], parsed: Sequence[tuple[Cell, ...]], columns: Sequence[Column]
) -> Iterator[GridRow]:
    wanted = [label for label, _ in columns if label]
    for block, cells in zip(blocks, parsed, strict=True):
        if cells:
            yield GridRow(block, cells)
            continue
        # A row of names whose first can be missing: the grid's corner.
        spans = _parts(block.text)
        texts = [block.text[a:b].strip() for a, b in spans]
        placed = list(columns)[-len(spans) :]
        if texts == [label for label, _ in placed] or texts == wanted:
            named = [c for c in columns if c[0]] if texts == wanted else placed
            both = zip(named, spans, strict=True)
            yield GridRow(block, tuple(Cell(c, a, b) for c, (a, b) in both), is_header=True)
        elif len(spans) == len(columns):
            both = zip(columns, spans, strict=True)
            yield GridRow(block, tuple(Cell(c, a, b) for c, (a, b) in both))
        else:
            yield GridRow(block, ())
