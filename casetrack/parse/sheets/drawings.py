"""What lies over the cells of an XLSX sheet: text boxes, shapes, charts, diagrams, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.chart import chart_names
from casetrack.parse.drawn.frame import frame_blocks, graphics_of
from casetrack.parse.drawn.names import MC, XDR, C, branch, integer
from casetrack.parse.drawn.text import Block, ListStyle, body_blocks, picture_block
from casetrack.parse.sheets.model import MAX_COLUMNS, MAX_ROWS, Drawn, drawn_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from casetrack.parse.package import Package

    CellTexts = Callable[[Iterable[str]], Mapping[str, str]]

_ANCHORS = tuple(f"{XDR}{name}Anchor" for name in ("twoCell", "oneCell", "absolute"))
_SHOWN = tuple(f"{XDR}{name}" for name in ("sp", "graphicFrame", "pic", "cxnSp"))


def read_drawings(
    package: Package, sheet: str, cells: CellTexts, missing: list[str], /
) -> tuple[Drawn, ...]:
    """Return what lies over the cells of a sheet, from top to bottom.

    Of charts whose values are cells of the workbook, their titles and series alone.

    Parameters
    ----------
    sheet
        Name of the sheet's part.
    cells
        Gives what the cells show that charts refer to, by their reference.
    missing
        Takes what cannot be read, as sentences.
    """
    found: list[Drawn] = []
    for kind, target in package.relations(sheet).values():
        if kind != "drawing":
            continue
        try:
            root = package.xml(target)
            _choose_branches(root)
            graphics = graphics_of(package, target, root, missing)
            _fill_names([g for g in graphics.values() if g is not None], cells)
        except ParseFailed as error:
            missing.append(f"Drawings over the cells cannot be read: {error.message}")
            continue
        for anchor in root.iter(*_ANCHORS):
            row, column = _corner(anchor, "from") or (1, 1)
            last = _corner(anchor, "to") or (row, column)
            found += drawn_over(row, column, max(column, last[1]), _blocks(anchor, graphics))
    return tuple(sorted(found, key=lambda drawn: (drawn.row, drawn.column)))


def _fill_names(charts: list[Any], cells: CellTexts) -> None:
    """Put in the names of titles and series where a chart only says which cell holds them."""
    waiting = [
        (reference, formula.strip())
        for chart in charts
        for reference in chart.iter(f"{C}strRef")
        if reference.getparent().tag == f"{C}tx" and next(reference.iter(f"{C}v"), None) is None
        for formula in [reference.findtext(f"{C}f") or ""]
    ]
    texts = cells({formula for _, formula in waiting}) if waiting else {}
    for reference, formula in waiting:
        if formula in texts:
            value = reference.makeelement(f"{C}v")
            value.text = texts[formula]
            reference.append(value)


def _choose_branches(root: Any) -> None:
    """Keep one branch of each ``mc:AlternateContent``: all of them say the same."""
    for alternate in list(root.iter(f"{MC}AlternateContent")):
        chosen = branch(alternate)
        for other in list(alternate):
            if other is not chosen:
                alternate.remove(other)


def _blocks(anchor: Any, graphics: Mapping[str, Any]) -> Iterator[Block]:
    for element in anchor.iter(*_SHOWN):
        if element.tag == f"{XDR}graphicFrame":
            yield from frame_blocks(
                element, lambda key, _: graphics.get(key or ""), charts=chart_names
            )
        elif element.tag == f"{XDR}pic":
            facts = element.find(f"{XDR}nvPicPr/{XDR}cNvPr")
            if facts is not None:
                picture = picture_block(facts.get("descr"), facts.get("name"))
                yield from () if picture is None else (picture,)
        else:
            body = element.find(f"{XDR}txBody")
            yield from () if body is None else body_blocks(body, ListStyle())


def _corner(anchor: Any, name: str) -> tuple[int, int] | None:
    """Return row and column of the cell that a corner lies in, from 1."""
    place = anchor.find(f"{XDR}{name}")
    if place is None:
        return None
    row, column = (integer(place.findtext(f"{XDR}{n}"), 0) or 0 for n in ("row", "col"))
    return min(max(row, 0) + 1, MAX_ROWS), min(max(column, 0) + 1, MAX_COLUMNS)
