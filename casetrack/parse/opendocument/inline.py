"""Visible content of a paragraph: pieces of text, with breaks, notes, comments and shapes as marks.

White space follows the format: a run of it is one space, none at the start of a paragraph, and
elements represent further spaces and breaks (OpenDocument 1.3, part 3, 6.1.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row, row_text
from casetrack.parse.base import MAX_BLANK
from casetrack.parse.drawn.text import Block, concealed
from casetrack.parse.opendocument.styles import (
    CHART,
    DRAW,
    MATH,
    OFFICE,
    TABLE,
    TEXT,
    XLINK,
    Break,
    BreakKind,
    Item,
    count,
    local,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from casetrack.parse.opendocument.styles import Styles
    from casetrack.parse.unseen import Look

    ReadCell = Callable[[Any], "CellContent"]

# Content of a text document other than paragraphs: tables, formulas, charts, drawings.

_MATH_TEXT = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_MAX_COLUMNS = 1000
_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_WHOLE = (f"{TABLE}table-row", *_PARAGRAPHS)


def object_blocks(root: Any, /, *, values: bool = True) -> Iterator[Block]:
    """Yield the content of an embedded object; of a chart without *values* only its names."""
    if root.tag == f"{MATH}math":
        text = formula_text(root)
        if text:
            yield Block((text,))
        return
    chart = root.find(f"{OFFICE}body/{OFFICE}chart/{CHART}chart")
    if chart is not None:
        yield from _chart(chart, values=values)
        return
    for body in root.iterfind(f"{OFFICE}body"):
        yield from _paragraphs(body)


def _paragraphs(body: Any) -> Iterator[Block]:
    """Yield the paragraphs of an embedded drawing, text or sheet; rows of tables as one line."""
    for element in body.iter(f"{TABLE}table-row", *_PARAGRAPHS):
        if any(above.tag in _WHOLE for above in element.iterancestors(*_WHOLE)):
            continue
        if element.tag in _PARAGRAPHS:
            text = " ".join("".join(element.itertext()).split())
        else:
            cells = [_words(cell) for cell in element.iterfind(f"{TABLE}table-cell")]
            shown = [
                Cell(text, at) for at, text in enumerate(cells[:_MAX_COLUMNS], start=1) if text
            ]
            text = row_text(Row(tuple(shown)))
        if text:
            yield Block((text,), "body" if element.tag in _PARAGRAPHS else "table")


def formula_text(root: Any, /) -> str:
    """Return the signs of a formula in order, separated by spaces."""
    signs = (e.text or "" for e in root.iter() if local(e) in _MATH_TEXT)
    return " ".join(" ".join(signs).split())


def _chart(chart: Any, *, values: bool) -> Iterator[Block]:
    """Yield the titles of a chart, then its table with the series as headers."""
    titles = [_words(e) for n in ("title", "subtitle") for e in chart.iterfind(f"{CHART}{n}")]
    title = " ".join(t for t in titles if t)
    if title:
        yield Block((f"Chart: {title}",))
    for axis in chart.iter(f"{CHART}axis"):
        name = " ".join(filter(None, map(_words, axis.iterfind(f"{CHART}title"))))
        if name:
            yield Block((f"Axis: {name}",))
    rows: list[Row] = []
    for row in chart.iterfind(f"{TABLE}table//{TABLE}table-row"):
        texts = [_words(cell) for cell in row.iterfind(f"{TABLE}table-cell")][:_MAX_COLUMNS]
        cells = tuple(Cell(text, at) for at, text in enumerate(texts, start=1) if text)
        rows.append(Row(cells, local(row.getparent()) == "table-header-rows"))
    for row, line in zip(rows, table_lines(rows, guess=False), strict=True):
        if row.cells and row.is_marked and not values:
            yield Block((f"Series: {', '.join(cell.text for cell in row.cells)}",))
        elif row.cells and values and not row.is_marked:
            yield Block((line,), "table")


def _words(element: Any) -> str:
    texts = ("".join(p.itertext()) for p in element.iter(f"{TEXT}p"))
    return " ".join(" ".join(texts).split())


# Tables of OpenDocument texts as rows, merged cells once.

_GROUPS = frozenset(f"{TABLE}{n}" for n in ("table-rows", "table-row-group", "table-header-rows"))
_MAX_GROUPS = 20

_MAX_REPEATED = 100


@dataclass(frozen=True, slots=True)
class CellContent:
    """A cell's text on one line, and its content outside of the row, such as inner tables."""

    text: str
    is_bold: bool
    rest: list[Item] = field(default_factory=list)


def is_frame(table: Any, /) -> bool:
    """Return whether a table has one column: a frame around text."""
    rows = [row for row, _ in _rows(table, 0) if row.tag == f"{TABLE}table-row"]
    return all(len(_cells(row)) <= 1 for row in rows)


def frame_cells(table: Any, /) -> Iterator[tuple[Any, bool]]:
    """Yield the cells of a table of one column, and whether each is in a hidden row."""
    for row, _ in _rows(table, 0):
        if row.tag == f"{TABLE}table-row":
            yield from ((cell, is_folded(row)) for cell in _cells(row))


def table_items(table: Any, read_cell: ReadCell, /) -> Iterator[Item]:
    """Yield a table's rows with their headers; inner tables, notes and breaks follow their row."""
    folded = _hidden_columns(table)
    elements = list(_rows(table, 0))
    rows = [_parsed(row, read_cell, folded, is_marked=marked) for row, marked in elements]
    sources = [row for row, _ in rows]
    if table.getparent().tag == f"{DRAW}frame":
        # Tables on slides: the author marks whether the first row is a header.
        ticked = table.get(f"{TABLE}use-first-row-styles") == "true"
        first = next((n for n, row in enumerate(sources) if row.cells), len(sources))
        sources = [row._replace(is_marked=ticked and n == first) for n, row in enumerate(sources)]
        lines = table_lines(sources, guess=False)
    else:
        lines = table_lines(sources)
    for text, (_, after), (row, _) in zip(lines, rows, elements, strict=True):
        if text:
            block = Block((text,), "table")
            yield concealed(block, "hidden") if is_folded(row) else block
        yield from after


def is_folded(line: Any, /) -> bool:
    """Return whether a row or a column of a table is collapsed or filtered away."""
    group = line.getparent()
    is_shown = line.get(f"{TABLE}visibility", "visible") == "visible"
    return not is_shown or group.get(f"{TABLE}display") == "false"


def _hidden_columns(table: Any) -> set[int]:
    columns: set[int] = set()
    column = 1
    for element in table.iter(f"{TABLE}table-column"):
        times = count(element, f"{TABLE}number-columns-repeated", most=_MAX_COLUMNS)
        if is_folded(element):
            columns.update(range(column, column + times))
        column += times
    return columns


def _rows(holder: Any, depth: int, *, is_header: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yield rows and page breaks between them, and whether they are marked as headers."""
    for child in holder:
        if child.tag in {f"{TABLE}table-row", f"{TEXT}soft-page-break"}:
            yield child, is_header
        elif child.tag in _GROUPS and depth < _MAX_GROUPS:
            marked = is_header or child.tag == f"{TABLE}table-header-rows"
            yield from _rows(child, depth + 1, is_header=marked)


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag == f"{TABLE}table-cell"]


def _parsed(
    row: Any, read_cell: ReadCell, folded: set[int], *, is_marked: bool
) -> tuple[Row, list[Item]]:
    if row.tag == f"{TEXT}soft-page-break":
        return Row(), [Break(BreakKind.SOFT)]
    cells: list[Cell] = []
    after: list[Item] = []
    column = 1
    for element in row:
        if element.tag not in {f"{TABLE}table-cell", f"{TABLE}covered-table-cell"}:
            continue
        times = count(element, f"{TABLE}number-columns-repeated", most=_MAX_COLUMNS)
        if element.tag == f"{TABLE}table-cell" and column <= _MAX_COLUMNS:
            content = read_cell(element)
            after += content.rest
            span = count(element, f"{TABLE}number-columns-spanned", most=_MAX_COLUMNS)
            if content.text and column in folded:
                after.append(concealed(Block((content.text,), "quote"), "hidden"))
            elif content.text:
                repeated = range(column, column + min(times, _MAX_REPEATED))
                cells += [Cell(content.text, at, span, content.is_bold) for at in repeated]
        column += times
    return Row(tuple(cells), is_marked), _one_break(after)


def _one_break(items: list[Item]) -> list[Item]:
    """Keep one page break: each cell of a row across pages may contain it."""
    breaks = [item for item in items if isinstance(item, Break)]
    return [item for item in items if not isinstance(item, Break)] + breaks[:1]


MAX_DEPTH = 60
"""Content nested deeper is omitted."""

_SPACES = re.compile(r"[ \t\r\n]+")
_SKIPPED = frozenset(
    (
        *(f"{TEXT}{n}" for n in ("ruby-text", "script", "tracked-changes", "note-citation")),
        *(f"{OFFICE}{n}" for n in ("annotation-end", "event-listeners", "forms")),
        f"{DRAW}control",
    )
)
_GROUNDS = (f"{TABLE}table-cell", f"{TEXT}section", f"{DRAW}*")
_BLANKS = frozenset(f"{TEXT}{n}" for n in ("s", "tab", "line-break"))
_THROUGH_DRAWN = frozenset({f"{DRAW}a"})


class Mark(Enum):
    """Elements other than text in a paragraph."""

    LINE = "line break"
    PAGE = "page break where the page was full"


@dataclass(frozen=True, slots=True)
class Aside:
    """A note, a comment, or a shape anchored in the text."""

    element: Any


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text that the program does not show, or the target of a link."""

    kind: str
    text: str


Piece = str | Mark | Aside | Hidden


class Inline:
    """Reads paragraphs; *fields* has values by tag, which replace the stored text of fields."""

    def __init__(self, styles: Styles, fields: Mapping[str, str], paper: str | None = None) -> None:
        self._styles, self._fields, self._paper = styles, fields, paper
        self._kind = ""
        self._after_space = True
        self.is_cut = False

    def pieces(self, paragraph: Any, /) -> Iterator[Piece]:
        """Yield the visible content of a ``text:p`` or ``text:h``, in order."""
        self._after_space = True
        look = self._styles.look("paragraph", paragraph.get(f"{TEXT}style-name"))
        marks = paragraph.iter(f"{TEXT}hidden-paragraph")
        if any(mark.get(f"{TEXT}is-hidden") == "true" for mark in marks):
            look = replace(look, is_hidden=True)
        holder = next(paragraph.iterancestors(*_GROUNDS), None)
        if holder is not None:
            is_cell = holder.tag == f"{TABLE}table-cell"
            family, space = ("table-cell", TABLE) if is_cell else ("section", TEXT)
            ground = self._styles.look(family, holder.get(f"{space}style-name")).ground
            self._paper = ground or (
                None if is_cell or holder.tag.startswith(DRAW) else self._paper
            )
        yield from self._inside(paragraph, 0, look)

    def _inside(self, element: Any, depth: int, look: Look) -> Iterator[Piece]:
        self._kind = kind = look.kind(self._paper)
        yield from self._characters(element.text)
        for child in element:
            if depth >= MAX_DEPTH:
                self.is_cut = True
            elif isinstance(child.tag, str):
                yield from self._child(child, depth + 1, look)
            self._kind = kind
            yield from self._characters(child.tail)

    def _characters(self, text: str | None) -> Iterator[Piece]:
        if self._kind:
            yield Hidden(self._kind, text or "")
            return
        shown = _SPACES.sub(" ", text or "")
        if self._after_space:
            shown = shown.removeprefix(" ")
        if shown:
            self._after_space = shown.endswith(" ")
            yield shown

    def _child(self, child: Any, depth: int, look: Look) -> Iterator[Piece]:
        tag = child.tag
        if self._kind and tag in _BLANKS:
            yield Hidden(self._kind, " ")
        elif tag == f"{TEXT}s":
            self._after_space = False
            yield " " * count(child, f"{TEXT}c", most=MAX_BLANK)
        elif tag == f"{TEXT}tab":
            self._after_space = False
            yield "\t"
        elif tag == f"{TEXT}line-break":
            self._after_space = False
            yield Mark.LINE
        elif tag == f"{TEXT}soft-page-break":
            yield Mark.PAGE
        elif tag in self._fields:
            self._after_space = False
            yield self._fields[tag]
        elif tag in {f"{TEXT}note", f"{OFFICE}annotation"} or self._is_drawn(tag):
            yield Aside(child)
        elif tag == f"{TEXT}change":
            yield Hidden("deleted", child.get(f"{TEXT}change-id", ""))
        elif self._is_hidden(child):
            yield Hidden("hidden", child.get(f"{TEXT}string-value") or "".join(child.itertext()))
        elif tag not in _SKIPPED:
            if tag == f"{TEXT}span":
                look = self._styles.look("text", child.get(f"{TEXT}style-name")).over(look)
            yield from self._inside(child, depth, look)
            if tag == f"{TEXT}a" and (target := child.get(f"{XLINK}href", "")):
                yield Hidden("link", target)

    def _is_drawn(self, tag: str) -> bool:
        return tag.startswith(DRAW) and tag not in _THROUGH_DRAWN and tag not in _SKIPPED

    def _is_hidden(self, element: Any) -> bool:
        if element.get(f"{TEXT}display") == "none":
            return True
        return bool(
            element.tag == f"{TEXT}hidden-text" and element.get(f"{TEXT}is-hidden") == "true"
        )
