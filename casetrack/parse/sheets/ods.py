"""Read ODS: the file stores the displayed text of each cell next to its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.numbers.formats import general
from casetrack.parse.opendocument.inline import is_folded
from casetrack.parse.opendocument.styles import XLINK, Styles, local
from casetrack.parse.package import CUSTOM, Package, forget, moment
from casetrack.parse.page_builder import clean_title
from casetrack.parse.sheets import model
from casetrack.parse.sheets.ods_drawings import Grid, OdsDrawings, size_of
from casetrack.parse.sheets.xlsx_parts import note_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.base.config import ParseLimits
    from casetrack.parse.sheets.model import CellKind, Notes
    from casetrack.parse.sheets.ods_drawings import Box

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
_TABLE, _TEXT, _OFFICE = f"{{{_NS}table:1.0}}", f"{{{_NS}text:1.0}}", f"{{{_NS}office:1.0}}"
_STYLE, _META = f"{{{_NS}style:1.0}}", f"{{{_NS}meta:1.0}}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_FURTHER = (
    (f"{_DC}subject", "subject"),
    (f"{_DC}description", "description"),
    (f"{_META}keyword", "keywords"),
    (f"{_DC}creator", "last_modified_by"),
)
_TABLE_TAG, _ROW, _COLUMN = (f"{_TABLE}{n}" for n in ("table", "table-row", "table-column"))
_SHAPES = f"{_TABLE}shapes"
_CELL, _COVERED = f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_SKIPPED = (f"{_OFFICE}annotation", f"{_TEXT}note", f"{_TEXT}ruby-text")
_HEAD_FIELDS = tuple(
    f"{_TEXT}{name}"
    for name in "page-number page-count sheet-name title date time file-name".split()
)
_GROUPS = tuple(
    f"{_TABLE}table-{name}"
    for line in ("row", "column")
    for name in (f"{line}-group", f"{line}s", f"header-{line}s")
)
_KINDS: dict[str, CellKind] = {
    "float": "number",
    "currency": "number",
    "percentage": "number",
    "date": "date",
    "time": "date",
    "boolean": "other",
}


class OdsWorkbook:
    """An open workbook; all its sheets are in one part, which is read at once."""

    def __init__(self, path: Path, limits: ParseLimits) -> None:
        with Package(path, model.KIND, limits=limits) as package:
            if "META-INF/manifest.xml" in package:
                manifest = package.read("META-INF/manifest.xml")
                if b"encryption-data" in manifest or b"keyinfo" in manifest:
                    raise FileEncrypted(path)
            missing: list[str] = []
            self._sheets, warnings = _read(package, missing)
            if not self._sheets:
                raise package.failed("it has no sheet")
            names = tuple(sheet.name for sheet in self._sheets)
            self.facts = _facts(package, names, warnings, missing)

    def close(self) -> None:
        """Release the sheets; the file itself is closed already."""
        self._sheets.clear()

    def sheets(self) -> Iterator[model.SheetData]:
        """Yield the sheets in order; each is freed when the next is requested."""
        self._sheets.reverse()
        while self._sheets:
            yield self._sheets.pop()


def _facts(
    package: Package, names: tuple[str, ...], warnings: list[str], missing: list[str]
) -> model.WorkbookFacts:
    values: dict[str, list[str]] = {}
    if "meta.xml" in package:
        try:
            for element in package.xml("meta.xml").iterfind(f"{_OFFICE}meta/*"):
                text = (element.text or "").strip()
                name = element.get(f"{_META}name")
                if text:
                    values.setdefault(f"{CUSTOM}{name}" if name else element.tag, []).append(text)
        except ParseFailed as error:
            warnings.append(f"The document's properties cannot be read: {error.message}")

    def fact(*tags: str) -> str | None:
        return next((", ".join(values[tag]) for tag in tags if tag in values), None)

    own = [(name, name) for name in values if name.startswith(CUSTOM)]
    further = ((name, clean_title(fact(tag))) for tag, name in (*_FURTHER, *own))
    return model.WorkbookFacts(
        "ods",
        names,
        fact(f"{_DC}title"),
        fact(f"{_META}initial-creator", f"{_DC}creator"),
        moment(fact(f"{_META}creation-date")),
        moment(fact(f"{_DC}date")),
        tuple((name, text) for name, text in further if text),
        warnings,
        missing,
    )


def _read(package: Package, missing: list[str]) -> tuple[list[model.SheetData], list[str]]:
    """Stream the content part; return the sheets and warnings."""
    part = "content.xml"
    sheets: list[model.SheetData] = []
    hidden_styles: set[str] = set()
    hidden: list[str] = []
    computed = 0
    drawings = OdsDrawings(package, _line, missing)
    masters: dict[str, str] = {}
    common = _common(package, missing)
    heads, styles = _heads(common), Styles(None, common)
    sizes: dict[str, float | None] = {}
    rows = _Rows(drawings, sizes, styles)
    tags = (f"{_STYLE}style", _COLUMN, _ROW, _TABLE_TAG, _SHAPES)
    with package.open(part) as stream:
        for element in package.events(stream, part, *tags):
            if element.tag == _ROW:
                if _is_of_sheet(element):
                    rows.add(element)
                    forget(element)
            elif element.tag == _COLUMN:
                if _is_of_sheet(element):
                    rows.add_columns(element)
            elif element.tag == _SHAPES:
                # Read now: the following rows, whose heights determine the position over cells, are
                # freed.
                rows.floating += drawings.floating(element)
            elif element.tag == _TABLE_TAG:
                if element.getparent().tag != f"{_OFFICE}spreadsheet":
                    continue
                name = element.get(f"{_TABLE}name") or f"Sheet{len(sheets) + 1}"
                merged = tuple(sorted(rows.merged))
                drawn = sorted(rows.all_drawn(), key=lambda one: (one.row, one.column))
                style = element.get(f"{_TABLE}style-name")
                is_hidden = style in hidden_styles
                hidden += [name] if is_hidden else []
                lines = heads.get(masters.get(style, ""), ())
                facts = (rows.notes, drawn, is_hidden, rows.hidden, lines, rows.hidden_columns)
                computed += rows.computed
                sheets.append(model.SheetData(name, rows.rows, merged, (), *facts))
                rows = _Rows(drawings, sizes, styles)
                forget(element)
            else:
                styles.add(element)
                sizes[element.get(f"{_STYLE}name")] = size_of(element)
                masters[element.get(f"{_STYLE}name")] = element.get(f"{_STYLE}master-page-name", "")
                properties = element.find(f"{_STYLE}table-properties")
                if properties is not None and properties.get(f"{_TABLE}display") == "false":
                    hidden_styles.add(element.get(f"{_STYLE}name"))
    return sheets, model.hidden_warning(hidden) + model.computed_links_warning(computed)


def _common(package: Package, missing: list[str]) -> Any:
    """Return the root of the common styles, or ``None``."""
    try:
        return package.xml("styles.xml") if "styles.xml" in package else None
    except ParseFailed as error:
        missing.append(f"Headers and footers cannot be read: {error.message}")
        return None


def _heads(root: Any) -> dict[str, tuple[str, ...]]:
    """Return the lines of headers and footers by the name of their master page."""
    lines_of: dict[str, tuple[str, ...]] = {}
    for master in () if root is None else root.iter(f"{_STYLE}master-page"):
        lines = []
        for head in master:
            kind = local(head).partition("-")[0]
            if kind in {"header", "footer"} and head.get(f"{_STYLE}display") != "false":
                paragraphs = list(head.iter(*_PARAGRAPHS))
                words = " ".join(_line(p, _HEAD_FIELDS) for p in paragraphs)
                lines.append(model.head_line(kind, words, " ".join(map(_line, paragraphs))))
        lines_of[master.get(f"{_STYLE}name", "")] = tuple(dict.fromkeys(filter(None, lines)))
    return lines_of


def _is_of_sheet(element: Any) -> bool:
    """Return whether a row or column belongs to a sheet, not to a table in a chart or cell."""
    parent = element.getparent()
    while parent is not None and parent.tag in _GROUPS:
        parent = parent.getparent()
    above = None if parent is None else parent.getparent()
    return above is not None and above.tag == f"{_OFFICE}spreadsheet"


class _Rows:
    def __init__(
        self, drawings: OdsDrawings, sizes: Mapping[str, float | None], styles: Styles
    ) -> None:
        self._drawings, self._sizes, self._grid = drawings, sizes, Grid()
        self._styles = styles
        self.drawn: list[model.Drawn] = []
        self.floating: list[tuple[Box, model.Drawn]] = []
        self.rows: list[model.SheetRow] = []
        self.merged: list[model.Area] = []
        self.notes: Notes = {}
        self.hidden: set[int] = set()
        self.hidden_columns: set[int] = set()
        self.computed = 0
        self._number = self._column = 1

    def add(self, row: Any) -> None:
        """Add a row and its repetitions."""
        times = _count(row, "number-rows-repeated", model.MAX_ROWS)
        cells = self._cells(row)
        if cells:
            last = min(self._number + times, model.MAX_ROWS + 1)
            self.rows.extend(model.SheetRow(number, cells) for number in range(self._number, last))
            if is_folded(row):
                self.hidden.update(range(self._number, last))
        self._number += times
        self._grid.add_rows(times, self._size(row))

    def add_columns(self, column: Any) -> None:
        """Store the width and visibility of a column and its repetitions."""
        times = _count(column, "number-columns-repeated", model.MAX_COLUMNS)
        self._grid.add_columns(times, self._size(column))
        if is_folded(column):
            last = min(self._column + times, model.MAX_COLUMNS + 1)
            self.hidden_columns.update(range(self._column, last))
        self._column += times

    def _size(self, line: Any) -> float | None:
        if is_folded(line):
            return 0.0
        return self._sizes.get(line.get(f"{_TABLE}style-name", ""))

    def all_drawn(self) -> Iterator[model.Drawn]:
        """Yield drawings in cells, then drawings over the sheet, with the cells below them."""
        yield from self.drawn
        for box, drawn in self.floating:
            row, column, column_end = self._grid.cells(box)
            yield model.Drawn(row, column, column_end, drawn.text)

    def _cells(self, row: Any) -> list[model.Cell]:
        cells: list[model.Cell] = []
        column = 1
        for element in row:
            if element.tag not in {_CELL, _COVERED}:
                continue
            times = _count(element, "number-columns-repeated", model.MAX_COLUMNS)
            cell = _cell(element, column, self._styles)
            note = _note(element)
            self.drawn += self._drawings.of(element, self._number, min(column, model.MAX_COLUMNS))
            if note:
                self.notes.setdefault(self._number, []).append(model.Note(column, note))
            made = model.add_formula_link(
                self.notes, self._number, column, element.get(f"{_TABLE}formula", "")
            )
            self.computed += made
            for target in _targets(element):
                model.add_link(self.notes, self._number, column, target)
            if cell is not None:
                last = min(column + times, model.MAX_COLUMNS + 1)
                cells.extend(cell._replace(column=c) for c in range(column, last))
                self._merge(element, column)
            column += times
        return cells

    def _merge(self, element: Any, column: int) -> None:
        wide = _count(element, "number-columns-spanned", model.MAX_COLUMNS)
        high = _count(element, "number-rows-spanned", model.MAX_ROWS)
        if wide > 1 or high > 1:
            top = self._number
            self.merged.append(model.Area(top, column, top + high - 1, column + wide - 1))


def _count(element: Any, name: str, most: int) -> int:
    text = element.get(f"{_TABLE}{name}", "1")
    return min(max(int(text), 1), most) if text.isdecimal() and len(text) < 10 else 1


def _cell(element: Any, column: int, styles: Styles) -> model.Cell | None:
    value_type = element.get(f"{_OFFICE}value-type", "string")
    kind = _KINDS.get(value_type, "text")
    lines = [_line(child) for child in element if child.tag in _PARAGRAPHS]
    text = " ".join(lines) if lines else _value(element, value_type)
    style = element.get(f"{_TABLE}style-name")
    look = styles.look("table-cell", style)
    spans = [s for p in element.iterfind(f"{_TEXT}p") for s in p]
    if len(spans) == 1 and "".join(spans[0].itertext()) == text:
        look = styles.look("text", spans[0].get(f"{_TEXT}style-name")).over(look)
    return model.shown_cell(column, text, kind, style, look.kind())


def _note(element: Any) -> str | None:
    annotation = element.find(f"{_OFFICE}annotation")
    if annotation is None:
        return None
    text = " ".join(_line(child) for child in annotation if child.tag in _PARAGRAPHS)
    return note_text(annotation.findtext(f"{_DC}creator"), text)


def _targets(cell: Any) -> Iterator[str]:
    for paragraph in cell:
        if paragraph.tag in _PARAGRAPHS and len(paragraph):
            yield from (link.get(f"{XLINK}href", "") for link in paragraph.iter(f"{_TEXT}a"))


def _line(element: Any, skipped: Sequence[str] = ()) -> str:
    """Return a paragraph's text with spans, links, spaces and tabs, without notes."""
    parts = [element.text or ""]
    for child in element:
        tag = child.tag
        if tag == f"{_TEXT}s":
            count = child.get(f"{_TEXT}c", "1")
            parts.append(" " * min(int(count) if count.isdecimal() else 1, 64))
        elif tag in {f"{_TEXT}tab", f"{_TEXT}line-break"}:
            parts.append(" ")
        elif isinstance(tag, str) and tag not in _SKIPPED and tag not in skipped:
            parts.append(_line(child, skipped))
        parts.append(child.tail or "")
    return "".join(parts)


def _value(element: Any, value_type: str) -> str:
    """Return the stored value of a cell without displayed text."""
    if value_type == "boolean":
        return str(element.get(f"{_OFFICE}boolean-value", "")).upper()
    name = value_type if value_type in {"date", "time", "string"} else ""
    text = str(element.get(f"{_OFFICE}{name}-value" if name else f"{_OFFICE}value") or "")
    if name or not text:
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    if abs(number) == float("inf") or number != number:  # noqa: PLR0124 - NaN
        return text
    return f"{general(number * 100)}%" if value_type == "percentage" else general(number)
