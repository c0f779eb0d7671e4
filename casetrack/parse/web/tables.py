"""HTML tables as rows of text; detects tables that only lay out a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row
from casetrack.parse.web.dom import LOST_END, Node

MAX_COLUMNS = 1000
"""Further columns count as this one, as in browsers."""
_PARTS = frozenset({"tbody", "tfoot", "thead"})
_CELLS = frozenset({"td", "th"})
_NOT_BESIDE = _CELLS | {"col", "colgroup", LOST_END}
_BOLD = frozenset({"b", "strong"})


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table: a row, or its caption."""

    text: str
    is_caption: bool = False


def rows(table: Node, text_of: Callable[[Node], str], /) -> list[TableLine] | None:
    """Return the lines of a data table, ``None`` for a layout table."""
    sources = list(_sources(table))
    if table.layout or table.get("role") in {"presentation", "none"}:
        return None
    if max((len(cells) for cells, _ in sources), default=0) < 2:
        return None
    has_heads = any(in_head for _, in_head in sources) or any(
        c.tag == "th" for cells, _ in sources for c in cells
    )
    if table.blocks and not has_heads:
        return None
    stray = [TableLine(text, is_caption=True) for text in _outside_cells(table, text_of)]
    return [*stray, *map(TableLine, table_lines(_grid(sources, text_of)))]


def _sources(table: Node) -> Iterator[tuple[list[Node], bool]]:
    """Yield the cells of each row, and whether the row is in the table's head."""
    for child in table.children:
        if isinstance(child, str):
            continue
        if child.tag in _PARTS:
            for row in child.children:
                if isinstance(row, Node) and row.tag == "tr":
                    yield _cells(row), child.tag == "thead"
        elif child.tag == "tr":
            yield _cells(child), False


def _cells(row: Node) -> list[Node]:
    return [c for c in row.children if isinstance(c, Node) and c.tag in _CELLS]


def _outside_cells(table: Node, text_of: Callable[[Node], str]) -> Iterator[str]:
    """Yield texts of a table outside of cells: its caption, and misplaced content."""
    stack: list[Node | str] = [*reversed(table.children)]
    while stack:
        child = stack.pop()
        if isinstance(child, Node) and child.tag in {*_PARTS, "tr"}:
            stack.extend(reversed(child.children))
            continue
        if isinstance(child, Node) and child.tag in _NOT_BESIDE:
            continue
        holder = Node("div")
        holder.children.append(child)
        text = text_of(holder)
        if text:
            yield text


def _grid(sources: list[tuple[list[Node], bool]], text_of: Callable[[Node], str]) -> list[Row]:
    """Place the cells in columns; a merged cell is at its start."""
    grid = []
    taken: dict[int, int] = {}
    for number, (cells, in_head) in enumerate(sources):
        column, placed, heads = 1, [], 0
        for node in cells:
            while taken.get(column, 0) > number and column < MAX_COLUMNS:
                column += 1
            span = min(_count(node.get("colspan")), MAX_COLUMNS + 1 - column)
            below = _count(node.get("rowspan"), zero=len(sources))
            if below > 1:
                taken |= dict.fromkeys(range(column, column + span), number + below)
            text = text_of(node)
            if text:
                placed.append(Cell(text, column, max(1, span), node.tag == "th" or _is_bold(node)))
                heads += node.tag == "th"
            column = min(column + max(1, span), MAX_COLUMNS)
        is_last = number + 1 == len(sources)
        is_header = in_head or (heads == len(placed) > 1 and not is_last)
        if placed:
            grid.append(Row(tuple(placed), is_header))
    return grid


def _count(text: str, *, zero: int = 1) -> int:
    text = text.strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 6:
        return 1
    return int(text) or zero


def _is_bold(cell: Node) -> bool:
    inner = [c for c in cell.children if isinstance(c, Node) or c.strip()]
    while len(inner) == 1 and isinstance(inner[0], Node):
        if inner[0].tag in _BOLD:
            return True
        inner = [c for c in inner[0].children if isinstance(c, Node) or c.strip()]
    return False
