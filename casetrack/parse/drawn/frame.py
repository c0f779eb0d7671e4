"""Frames in drawings, which contain a table, chart or diagram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.base.groups import in_runs
from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row, row_text
from casetrack.parse.drawn.text import (
    CX,
    DGM,
    A,
    Block,
    C,
    ListStyle,
    R,
    body_blocks,
    integer,
    is_true,
    plain_text,
)
from casetrack.parse.labels import BULLET
from casetrack.parse.numbers.formats import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from casetrack.parse.package import Package

    Related = Callable[[str | None, str], Any]
    ChartBlocks = Callable[[Any], Iterator[Block]]

# Tables in drawings as rows of text, merged cells once.

_MAX_SPAN = 1000


def table_blocks(table: Any, /) -> Iterator[Block]:
    """Yield a table's rows as ``Header: value | ...``; a table of one column is a text frame."""
    rows = [list(row.iterfind(f"{A}tc")) for row in table.iterfind(f"{A}tr")]
    if all(len(cells) <= 1 for cells in rows):
        for cells in rows:
            for cell in cells:
                body = cell.find(f"{A}txBody")
                if body is not None:
                    yield from body_blocks(body, ListStyle())
        return
    properties = table.find(f"{A}tblPr")
    has_header = properties is not None and is_true(properties.get("firstRow"))
    parsed = [_row(cells) for cells in rows]
    parsed[0] = parsed[0]._replace(is_marked=has_header)
    for text in table_lines(parsed, guess=False):
        if text:
            yield Block((text,), "table")


def _row(cells: list[Any]) -> Row:
    filled = []
    for column, cell in enumerate(cells, start=1):
        text = plain_text(cell.find(f"{A}txBody"))
        if text:
            span = min(max(integer(cell.get("gridSpan"), 1) or 1, 1), _MAX_SPAN)
            filled.append(Cell(text, column, span))
    return Row(tuple(filled))


# SmartArt: the texts of a diagram, in the order and hierarchy of its data model.

_SHOWN = {None, "node", "asst"}


def diagram_blocks(root: Any, /) -> Iterator[Block]:
    """Yield the texts of a ``dgm:dataModel``, parents before their children."""
    points = {p.get("modelId", ""): p for p in root.iter(f"{DGM}pt")}
    for identity in _in_order(root, points):
        point = points[identity]
        body = point.find(f"{DGM}t")
        if body is None or point.get("type") not in _SHOWN:
            continue
        for block in body_blocks(body, ListStyle()):
            if block.kind == "list":
                yield block
            else:
                yield Block((f"{BULLET} {block.lines[0]}", *block.lines[1:]), "list")


def _in_order(root: Any, points: dict[str, Any]) -> list[str]:
    """Return the ids from the document's root downwards, then unconnected points in file order."""
    children: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(f"{DGM}cxn"):
        if link.get("type", "parOf") == "parOf":
            place = (integer(link.get("srcOrd"), 0) or 0, link.get("destId", ""))
            children.setdefault(link.get("srcId", ""), []).append(place)
    waiting = [i for i, p in points.items() if p.get("type") == "doc"][::-1]
    order: dict[str, None] = {}
    while waiting:
        identity = waiting.pop()
        if identity in order or identity not in points:
            continue
        order[identity] = None
        below = sorted(children.get(identity, ()), key=lambda place: place[0])
        waiting += [child for _, child in reversed(below)]
    return [*order, *(i for i in points if i not in order)]


# Charts: title, series and categories with the values that the file keeps of them, as rows.

_CATEGORIES = (f"{C}cat", f"{C}xVal")
_VALUES = (f"{C}val", f"{C}yVal")


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    categories: dict[int, str]
    values: dict[int, str]
    sizes: dict[int, str]


def chart_blocks(root: Any, /) -> Iterator[Block]:
    """Yield a chart's title, then one row per category: ``2024 | Sales: 12 | Costs: 9``."""
    if root.tag == f"{CX}chartSpace":
        yield from _extended(root)
        return
    plot = root.find(f".//{C}plotArea")
    yield from _titles(root)
    if plot is None:
        return
    series = [_series(element) for element in plot.iter(f"{C}ser")]
    axes = [a for name in ("catAx", "dateAx") for a in plot.iter(f"{C}{name}")]
    axis = next((t for t in map(_title, axes) if t), "")
    for group in in_runs(series, lambda group, one: group[0].categories == one.categories):
        yield from _rows(group, axis)


def chart_names(root: Any, /) -> Iterator[Block]:
    """Yield titles and series names of a chart, and values that are not cells of the workbook."""
    sources = [
        source
        for tag in (*_VALUES, f"{CX}numDim")
        for values in root.iter(tag)
        for source in [values.findtext(f"{CX}f") or values.findtext(f"{C}numRef/{C}f")]
    ]
    # A name in brackets is that of another workbook.
    if not sources or any(source is None or "[" in source for source in sources):
        yield from chart_blocks(root)
        return
    yield from _titles(root, f"{C}catAx", f"{C}dateAx")
    names = dict.fromkeys(_series_name(s) for s in root.iter(f"{C}ser", f"{CX}series"))
    shown = [name for name in names if name]
    if shown:
        yield Block((f"Series: {', '.join(shown)}",))


def _titles(root: Any, *axes: str) -> Iterator[Block]:
    """Yield the titles of a chart, of its value axes and of *axes*, and labels of points."""
    title = plain_text(root.find(f"{CX}chart/{CX}title")) or _title(root.find(f"{C}chart"))
    if title:
        yield Block((f"Chart: {title}",))
    for axis in root.iter(f"{C}valAx", f"{C}serAx", f"{CX}axis", *axes):
        name = plain_text(axis.find(f"{CX}title")) or _title(axis)
        if name:
            yield Block((f"Axis: {name}",))
    for label in root.iter(f"{C}dLbl"):
        words = plain_text(label.find(f"{C}tx/{C}rich"))
        if words:
            yield Block((f"Label: {words}",))


def _extended(root: Any) -> Iterator[Block]:
    """Yield a chart of the 2016 types: funnels, waterfalls, sunbursts, histograms."""
    yield from _titles(root)
    names: dict[str, str] = {}
    for series in root.iter(f"{CX}series"):
        data, name = series.find(f"{CX}dataId"), _series_name(series)
        if data is not None and name:
            names.setdefault(data.get("val", ""), name)
    for data in root.iterfind(f"{CX}chartData/{CX}data"):
        texts, numbers = data.find(f"{CX}strDim"), data.find(f"{CX}numDim")
        categories = {} if texts is None else _merged(texts.iterfind(f"{CX}lvl"), "", CX)
        code = "" if numbers is None else _code(numbers)
        values = {} if numbers is None else _merged(numbers.iterfind(f"{CX}lvl"), code, CX)
        yield from _rows([_Series(names.get(data.get("id", ""), ""), categories, values, {})], "")


def _code(numbers: Any) -> str:
    level = numbers.find(f"{CX}lvl")
    return "General" if level is None else level.get("formatCode") or "General"


def _rows(group: list[_Series], axis: str) -> Iterator[Block]:
    categories = group[0].categories
    names = {1: axis} | {i: one.name for i, one in enumerate(group, start=2)}
    indexes = {i for one in group for i in (*one.values, *one.sizes)} | set(categories)
    for index in sorted(indexes):
        cells = [Cell(categories[index], 1)] if index in categories else []
        for column, one in enumerate(group, start=2):
            shown = [v for v in (one.values.get(index), one.sizes.get(index)) if v]
            if shown:
                cells.append(Cell(" / ".join(shown), column))
        if cells:
            yield Block((row_text(Row(tuple(cells)), names),), "table")


def _title(owner: Any) -> str:
    title = None if owner is None else owner.find(f"{C}title")
    if title is None:
        return ""
    cached = " ".join(v.text or "" for v in title.iter(f"{C}v"))
    return plain_text(title) or " ".join(cached.split())


def _series(element: Any) -> _Series:
    return _Series(
        _series_name(element),
        _points(element, _CATEGORIES),
        _points(element, _VALUES),
        _points(element, (f"{C}bubbleSize",)),
    )


def _series_name(series: Any) -> str:
    space = CX if series.tag == f"{CX}series" else C
    name = series.find(f"{space}tx")
    texts = () if name is None else (v.text or "" for v in name.iter(f"{space}v"))
    return " ".join(" ".join(texts).split())


def _points(series: Any, tags: tuple[str, ...]) -> dict[int, str]:
    source = next((e for e in series if e.tag in tags), None)
    if source is None:
        return {}
    texts = source.iter(f"{C}strCache", f"{C}strLit", f"{C}multiLvlStrCache")
    is_number = next(texts, None) is None
    code = next((f.text for f in source.iter(f"{C}formatCode") if f.text), "General")
    return _merged(list(source.iter(f"{C}lvl")) or [source], code if is_number else "", C)


def _merged(levels: Iterable[Any], code: str, space: str) -> dict[int, str]:
    """Return ``index -> text`` of points, formatted by *code*; the innermost level is first."""
    texts: dict[int, str] = {}
    for number, points in enumerate(_level(level, space) for level in levels):
        last = ""
        for index in sorted(texts.keys() | points.keys()):
            if number:
                # The file stores an outer level only where it changes.
                last = points.get(index, last)
                texts[index] = f"{last} {texts.get(index, '')}".strip()
            else:
                text = points[index]
                texts[index] = _shown(text, code) if code else " ".join(text.split())
    return {index: text for index, text in texts.items() if text}


def _level(level: Any, space: str) -> dict[int, str]:
    points = (
        (integer(p.get("idx")), p.findtext(f"{space}v") if space == C else p.text)
        for p in level.iter(f"{space}pt")
    )
    return {index: text for index, text in points if index is not None and text}


def _shown(text: str, code: str) -> str:
    """Format a number with the format *code*; return other text unchanged."""
    try:
        value = float(text)
    except ValueError:
        return text
    return parse(code).show(value) if math.isfinite(value) else text


_RELATED = {f"{C}chart": "id", f"{CX}chart": "id", f"{DGM}relIds": "dm"}
_KINDS = frozenset({"chart", "chartEx", "diagramData"})


def graphics_of(package: Package, part: str, root: Any, missing: list[str], /) -> dict[str, Any]:
    """Read the charts and diagrams of a part by part name, which replaces their ids in *root*."""
    relations = package.relations(part)
    if _KINDS.isdisjoint(kind for kind, _ in relations.values()):
        return {}
    roots: dict[str, Any] = {}
    for element in root.iter(*_RELATED):
        key = f"{R}{_RELATED[element.tag]}"
        target = relations.get(element.get(key, ""), ("", ""))[1]
        element.set(key, target)
        if target in roots:
            continue
        what = "diagram" if element.tag == f"{DGM}relIds" else "chart"
        roots[target] = None
        if target not in package:
            missing.append(f"A {what} cannot be read: its part is missing.")
            continue
        try:
            roots[target] = package.xml(target)
        except ParseFailed as error:
            missing.append(f"A {what} cannot be read: {error.message}")
    return roots


def frame_blocks(
    element: Any, related: Related, /, *, charts: ChartBlocks = chart_blocks
) -> Iterator[Block]:
    """Yield the content of the graphics (``a:graphic``) inside an element.

    *related* returns the root of a part by relation id and label, or ``None`` after a message.
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
