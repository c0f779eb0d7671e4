"""Frames in drawings: the table, chart or diagram that one holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.readers.drawn.chart import chart_blocks
from casetrack.readers.drawn.diagram import diagram_blocks
from casetrack.readers.drawn.names import CX, DGM, A, C, R
from casetrack.readers.drawn.table import table_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.readers.drawn.text import Block

    Related = Callable[[str | None, str], Any]


def frame_blocks(element: Any, related: Related, /) -> Iterator[Block]:
    """Yield what the graphics inside an element show.

    Parameters
    ----------
    element
        Whatever has ``a:graphic`` among its children.
    related
        Takes the id of a relation and what it leads to in words; gives the root of that part, or
        ``None`` after it has said why not.
    """
    for data in element.iterfind(f"{A}graphic/{A}graphicData"):
        for table in data.iterfind(f"{A}tbl"):
            yield from table_blocks(table)
        for chart in (*data.iterfind(f"{C}chart"), *data.iterfind(f"{CX}chart")):
            root = related(chart.get(f"{R}id"), "chart")
            if root is not None:
                yield from chart_blocks(root)
        for diagram in data.iterfind(f"{DGM}relIds"):
            root = related(diagram.get(f"{R}dm"), "diagram")
            if root is not None:
                yield from diagram_blocks(root)
