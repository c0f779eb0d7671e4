"""Frames in drawings: the table, chart or diagram that one holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.chart import chart_blocks
from casetrack.parse.drawn.diagram import diagram_blocks
from casetrack.parse.drawn.names import CX, DGM, A, C, R
from casetrack.parse.drawn.table import table_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.parse.drawn.text import Block
    from casetrack.parse.package import Package

    Related = Callable[[str | None, str], Any]
    ChartBlocks = Callable[[Any], Iterator[Block]]


_RELATED = {f"{C}chart": "id", f"{CX}chart": "id", f"{DGM}relIds": "dm"}
_KINDS = frozenset({"chart", "chartEx", "diagramData"})


def graphics_of(package: Package, part: str, root: Any, missing: list[str], /) -> dict[str, Any]:
    """Read the charts and diagrams that a part refers to.

    Their ids in *root* become the names of their parts, which are the keys of what is returned: so
    they mean the same wherever an element ends up.

    Parameters
    ----------
    part, root
        Name and root element of the part that holds the drawings.
    missing
        Takes what cannot be read, as sentences.
    """
    relations = package.relations(part)
    if _KINDS.isdisjoint(kind for kind, _ in relations.values()):
        return {}
    found: dict[str, Any] = {}
    for element in root.iter(*_RELATED):
        key = f"{R}{_RELATED[element.tag]}"
        target = relations.get(element.get(key, ""), ("", ""))[1]
        element.set(key, target)
        if target in found:
            continue
        what = "diagram" if element.tag == f"{DGM}relIds" else "chart"
        found[target] = None
        if target not in package:
            missing.append(f"A {what} cannot be read: its part is missing.")
            continue
        try:
            found[target] = package.xml(target)
        except ParseFailed as error:
            missing.append(f"A {what} cannot be read: {error.message}")
    return found


def frame_blocks(
    element: Any, related: Related, /, *, charts: ChartBlocks = chart_blocks
) -> Iterator[Block]:
    """Yield what the graphics inside an element show.

    Parameters
    ----------
    element
        Whatever has ``a:graphic`` among its children.
    related
        Takes the id of a relation and what it leads to in words; gives the root of that part, or
        ``None`` after it has said why not.
    charts
        Gives what of a chart is wanted.
    """
    for data in element.iterfind(f"{A}graphic/{A}graphicData"):
        for table in data.iterfind(f"{A}tbl"):
            yield from table_blocks(table)
        for chart in (*data.iterfind(f"{C}chart"), *data.iterfind(f"{CX}chart")):
            root = related(chart.get(f"{R}id"), "chart")
            if root is not None:
                yield from charts(root)
        for diagram in data.iterfind(f"{DGM}relIds"):
            root = related(diagram.get(f"{R}dm"), "diagram")
            if root is not None:
                yield from diagram_blocks(root)
