"""Objects over the cells of an ODS sheet: text boxes, shapes, charts, pictures."""

from __future__ import annotations

import bisect
import itertools
import math
import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.text import Block, picture_block
from casetrack.parse.opendocument.inline import object_blocks
from casetrack.parse.opendocument.styles import DRAW, MOVED, OFFICE, STYLE, SVG, TEXT, XLINK, points
from casetrack.parse.sheets.model import MAX_COLUMNS, MAX_ROWS, Drawn, drawn_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.parse.package import Package

    Words = Callable[[Any], str]

# Positions of the cells of an ODS sheet, to find the cell of an object anchored to the sheet.

_WIDTH, _HEIGHT = 64.0, 12.8
"""LibreOffice's default width of columns and height of rows, in points."""
_SIZES = {
    f"{STYLE}table-column-properties": f"{STYLE}column-width",
    f"{STYLE}table-row-properties": f"{STYLE}row-height",
}


class Box(NamedTuple):
    """A rectangle on a sheet: its left, upper and right edge in points."""

    left: float
    top: float
    right: float


def size_of(style: Any, /) -> float | None:
    """Return the width or height in points that a style gives to columns or rows."""
    for name, attribute in _SIZES.items():
        properties = style.find(name)
        if properties is not None:
            return points(properties.get(attribute))
    return None


def box_of(shape: Any, /) -> Box | None:
    """Return the extent of a shape or a group of shapes, as far as the file specifies it."""
    boxes = list(_boxes(shape))
    if not boxes:
        return None
    return Box(min(b.left for b in boxes), min(b.top for b in boxes), max(b.right for b in boxes))


def _boxes(shape: Any) -> Iterator[Box]:
    for element in shape.iter():
        if not isinstance(element.tag, str) or not element.tag.startswith(DRAW):
            continue
        left, top = (points(element.get(f"{SVG}{n}") or element.get(f"{SVG}{n}1")) for n in "xy")
        moved = MOVED.search(element.get(f"{DRAW}transform", ""))
        if moved:
            left, top = points(moved[1]), points(moved[2])
        if left is not None and top is not None:
            yield Box(left, top, left + (points(element.get(f"{SVG}width")) or 0.0))


@dataclass(slots=True)
class Grid:
    """The sizes of columns and rows in runs: number and size in points."""

    _columns: list[tuple[int, float]] = field(default_factory=list)
    _rows: list[tuple[int, float]] = field(default_factory=list)

    def add_columns(self, count: int, width: float | None, /) -> None:
        """Add columns of equal width."""
        self._columns.append((count, _WIDTH if width is None else width))

    def add_rows(self, count: int, height: float | None, /) -> None:
        """Add rows of equal height."""
        self._rows.append((count, _HEIGHT if height is None else height))

    def cells(self, box: Box, /) -> tuple[int, int, int]:
        """Return row and column at the start of a box, and its last column, from 1."""
        columns = _Axis(self._columns, _WIDTH, MAX_COLUMNS)
        column = columns.at(box.left)
        row = _Axis(self._rows, _HEIGHT, MAX_ROWS).at(box.top)
        return row, column, max(column, columns.at(box.right))


class _Axis:
    """Finds the column or row at a distance from the edge of the sheet."""

    def __init__(self, runs: list[tuple[int, float]], usual: float, most: int) -> None:
        self._runs, self._usual, self._most = runs, usual, most
        self._ends = list(itertools.accumulate(count * size for count, size in runs))
        self._before = [0, *itertools.accumulate(count for count, _ in runs)]

    def at(self, distance: float) -> int:
        run = bisect.bisect_right(self._ends, distance)
        start = self._ends[run - 1] if run else 0.0
        size = self._runs[run][1] if run < len(self._runs) else self._usual
        inside = math.floor(max(distance - start, 0.0) / size) if size else 0
        return min(self._before[run] + inside + 1, self._most)


_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_ASIDE = f"{OFFICE}annotation"


class OdsDrawings:
    """Reads the drawings of a workbook; *missing* collects sentences on unreadable content."""

    def __init__(self, package: Package, words: Words, missing: list[str]) -> None:
        self._package, self._words, self._missing = package, words, missing

    def of(self, holder: Any, row: int, column: int, /) -> Iterator[Drawn]:
        """Yield the objects anchored to a cell."""
        for child in _shapes(holder):
            yield from drawn_over(row, column, column, self._blocks(child))

    def floating(self, holder: Any, /) -> Iterator[tuple[Box, Drawn]]:
        """Yield the objects anchored to the sheet, with their position (default: first cell)."""
        for child in _shapes(holder):
            for drawn in drawn_over(1, 1, 1, self._blocks(child)):
                yield box_of(child) or Box(0.0, 0.0, 0.0), drawn

    def _blocks(self, shape: Any) -> Iterator[Block]:
        for element in shape.iter(*_PARAGRAPHS, f"{DRAW}object", f"{DRAW}frame"):
            if any(above.tag in {_ASIDE, *_PARAGRAPHS} for above in element.iterancestors()):
                continue
            if element.tag == f"{DRAW}object":
                yield from self._object(element.get(f"{XLINK}href", ""))
            elif element.tag != f"{DRAW}frame":
                yield Block((self._words(element),))
            elif element.find(f"{DRAW}image") is not None:
                desc, title = map(element.findtext, (f"{SVG}desc", f"{SVG}title"))
                picture = picture_block(desc, element.get(f"{DRAW}name"), title)
                yield from () if picture is None else (picture,)

    def _object(self, name: str) -> Iterator[Block]:
        """Yield the names in a chart whose values are cells of the workbook."""
        part = posixpath.join(name.removeprefix("./"), "content.xml")
        try:
            root = self._package.xml(part)
        except ParseFailed as error:
            self._missing.append(f"An embedded object cannot be read: {error.message}")
            return
        yield from object_blocks(root, values=False)


def _shapes(holder: Any) -> Iterator[Any]:
    return (e for e in holder if isinstance(e.tag, str) and e.tag.startswith(DRAW))
