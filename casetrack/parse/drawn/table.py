"""Tables in drawings as rows of text, merged cells once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.extract.tables.header import marked_lines
from casetrack.extract.tables.model import Cell, Row
from casetrack.parse.drawn.names import A, integer, is_true
from casetrack.parse.drawn.text import Block, ListStyle, body_blocks, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_SPAN = 1000


def table_blocks(table: Any, /) -> Iterator[Block]:
    """Yield a table's rows as ``Header: value | ...``; a table of one column is a frame for text.

    Which row is a header is what its author ticked (``firstRow``), not a guess.
    """
    rows = [list(row.iterfind(f"{A}tc")) for row in table.iterfind(f"{A}tr")]
    if all(len(cells) <= 1 for cells in rows):
        for cells in rows:
            for cell in cells:
                body = cell.find(f"{A}txBody")
                if body is not None:
                    yield from body_blocks(body, ListStyle())
        return
    properties = table.find(f"{A}tblPr")
    has_header = properties is not None and is_true(properties.get("firstRow")) and len(rows) > 1
    for text in marked_lines([_row(cells) for cells in rows], int(has_header)):
        if text:
            yield Block((text,), "table")


def _row(cells: list[Any]) -> Row:
    """Return the cells with text; a cell merged into another holds text only by accident."""
    found = []
    for column, cell in enumerate(cells, start=1):
        text = plain_text(cell.find(f"{A}txBody"))
        if text:
            span = min(max(integer(cell.get("gridSpan"), 1) or 1, 1), _MAX_SPAN)
            found.append(Cell(text, column, span))
    return Row(tuple(found))
