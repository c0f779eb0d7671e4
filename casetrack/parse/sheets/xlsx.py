"""Read XLSX and XLSM: cells as their number formats display them, from the sheets' XML.

Values are next to style ids in the XML, so one streamed pass reads both; with a library that
returns only values, a second pass is needed.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.text import integer
from casetrack.parse.embedded import take_embedded
from casetrack.parse.numbers.formats import parse, serial_of
from casetrack.parse.package import Package, forget
from casetrack.parse.page_builder import clean_text
from casetrack.parse.sheets import model
from casetrack.parse.sheets.xlsx_parts import (
    MAIN,
    read_drawings,
    read_formats,
    read_notes,
    read_people,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from casetrack.base.config import ParseLimits
    from casetrack.parse.base import Reading, ReadOptions
    from casetrack.parse.numbers.formats import NumberFormat
    from casetrack.parse.sheets.model import CellKind, Notes

_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_HEADS = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(Header|Footer)\b[^>]*>([^<]+)<")
_TAIL_BYTES = 1 << 17
_AROUND = re.compile(rb"<(?:\w+:)?(mergeCell|autoFilter|hyperlink|col)\s([^<>]*)>")
_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*["']([^"'<>]*)["']""")
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_GENERAL = parse("General")
_SCAN_BYTES = 1 << 20
_TRUE = frozenset({"1", "true", "on"})
_READ_SHEETS = frozenset({"worksheet", "chartsheet"})
_OTHER_SHEETS = {
    "dialogsheet": "a dialog of Excel 5",
    "xlMacrosheet": "a sheet of macros",
    "xlIntlMacrosheet": "a sheet of macros",
}


@dataclass(slots=True)
class _SheetFacts:
    """The facts before and after the cells of a sheet: *hidden* are columns."""

    merged: set[model.Area] = field(default_factory=set)
    filters: set[model.Area] = field(default_factory=set)
    links: dict[model.Area, str] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    heads: dict[str, None] = field(default_factory=dict)


class XlsxWorkbook:
    """An open workbook; sheets are read one by one."""

    def __init__(self, path: Path, content: Path, limits: ParseLimits) -> None:
        self._package = Package(path, model.KIND, content=content, limits=limits)
        try:
            self._open()
        except BaseException:
            self._package.close()
            raise

    def _open(self) -> None:
        package = self._package
        part = self._workbook_part()
        root = package.xml(part)
        relations = package.relations(part)
        properties = root.find(f"{MAIN}workbookPr")
        self._date_1904 = properties is not None and properties.get("date1904") in _TRUE
        self._sheets: list[tuple[str, str]] = []
        hidden: list[str] = []
        self._hidden = hidden
        self._unread: list[str] = []
        for sheet in root.iterfind(f"{MAIN}sheets/{MAIN}sheet"):
            kind, target = relations.get(sheet.get(_RELATION_ID, ""), ("", ""))
            name = sheet.get("name") or f"Sheet{len(self._sheets) + 1}"
            if kind not in _READ_SHEETS:
                what = _OTHER_SHEETS.get(kind, "a sheet of an unknown kind")
                self._unread.append(f'The sheet "{name}" is {what} and was not read.')
                continue
            self._sheets.append((name, target))
            if sheet.get("state") in {"hidden", "veryHidden"}:
                hidden.append(name)
        if not self._sheets:
            raise package.failed("it has no worksheet")
        targets = dict(relations.values())
        self._formats = read_formats(package, targets.get("styles"))
        self._strings = self._shared_strings(targets.get("sharedStrings"))
        self._people = read_people(package, part)
        self._uncomputed = self._computed = 0
        warnings = model.hidden_warning(hidden)
        facts = package.facts(warnings)
        self.facts = model.WorkbookFacts(
            "xlsx",
            tuple(name for name, _ in self._sheets),
            facts.title,
            facts.author,
            facts.created_at,
            facts.modified_at,
            facts.properties,
            warnings,
            self._unread,
        )

    def _workbook_part(self) -> str:
        for kind, target in self._package.relations("").values():
            if kind == "officeDocument":
                return target
        return "xl/workbook.xml"

    def close(self) -> None:
        """Close the file."""
        self._package.close()

    def take_embedded(self, reading: Reading, options: ReadOptions, /) -> None:
        """Copy the embedded files of the workbook."""
        take_embedded(self._package, reading, options)

    def sheets(self) -> Iterator[model.SheetData]:
        """Yield the sheets in order; each must be read before the next is requested."""
        for name, part in self._sheets:
            if part not in self._package:
                raise self._package.failed(f'the sheet "{name}" is missing from the file')
            around = self._sheet_facts(part)
            headers = [*around.filters, *self._table_headers(part)]
            notes = read_notes(self._package, part, self._people, self.facts.missing)
            for area, target in around.links.items():
                model.add_link(notes, area.top, area.left, target)
            heads = tuple(around.heads)
            hidden_rows: set[int] = set()
            if part.startswith("xl/chartsheets/"):
                heads = (f"Chart sheet: {name}", *heads)
            yield model.SheetData(
                name,
                self._rows(part, hidden_rows, notes),
                tuple(sorted(around.merged)),
                tuple(sorted(headers)),
                notes,
                read_drawings(self._package, part, self._texts_at, self.facts.missing),
                name in self._hidden,
                hidden_rows,
                heads,
                around.hidden,
            )
        self.facts.warnings.extend(model.computed_links_warning(self._computed))
        if self._uncomputed:
            self.facts.warnings.append(
                f"{self._uncomputed} formulas have no stored result and were left out; open the "
                "workbook in a spreadsheet program and save it to store them."
            )

    def _shared_strings(self, part: str | None) -> list[str]:
        if part is None or part not in self._package:
            return []
        strings = []
        with self._package.open(part) as stream:
            for item in self._package.events(stream, part, f"{MAIN}si"):
                # Cleaned once here, however often cells refer to it.
                strings.append(clean_text(_rich_text(item)).strip())
                forget(item)
        return strings

    def _texts_at(self, references: Iterable[str]) -> dict[str, str]:
        """Return displayed texts by references such as ``'Our sales'!$B$1``; ranges are joined."""
        wanted: dict[str, list[tuple[str, model.Area]]] = {}
        for reference in references:
            name, _, place = reference.rpartition("!")
            area = _area(place)
            if area is not None:
                sheet = name.removeprefix("'").removesuffix("'").replace("''", "'")
                wanted.setdefault(sheet, []).append((reference, area))
        texts_of: dict[str, list[str]] = {}
        uncomputed = self._uncomputed
        for name, part in self._sheets:
            areas = wanted.pop(name, [])
            last = max((area.bottom for _, area in areas), default=0)
            for row in self._rows(part) if areas and part in self._package else ():
                if row.number > last:
                    break
                for reference, area in areas:
                    if area.top <= row.number <= area.bottom:
                        inside = [c.text for c in row.cells if area.left <= c.column <= area.right]
                        texts_of.setdefault(reference, []).extend(inside)
        self._uncomputed = uncomputed
        return {reference: " ".join(texts) for reference, texts in texts_of.items()}

    def _sheet_facts(self, part: str) -> _SheetFacts:
        """Find merged ranges, filters, links, hidden columns, headers and footers of a sheet."""
        around = _SheetFacts()
        links = self._package.links(part)
        rest = tail = b""
        with self._package.open(part) as stream:
            while data := stream.read(_SCAN_BYTES):
                rest += data
                tail = (tail + data)[-_TAIL_BYTES:]
                for kind, attributes in _AROUND.findall(rest):
                    facts = dict(_ATTRIBUTE.findall(attributes.decode("utf-8", "replace")))
                    area = _area(facts.get("ref", ""))
                    if kind == b"col" and _is_folded(facts, "width"):
                        around.hidden.update(_columns(facts))
                    elif area and kind == b"mergeCell":
                        around.merged.add(area)
                    elif area and kind == b"autoFilter":
                        around.filters.add(area._replace(bottom=area.top))
                    elif area:
                        relation = next((v for k, v in facts.items() if k.endswith(":id")), "")
                        around.links[area] = links.get(relation, "")
                rest = rest[max(rest.rfind(b"<"), len(rest) - _SCAN_BYTES) :]
        for kind, text in _HEADS.findall(tail):
            words = html.unescape(text.decode("utf-8", "replace"))
            if line := model.coded_head(kind.decode().lower(), words):
                around.heads[line] = None
        return around

    def _table_headers(self, part: str) -> Iterator[model.Area]:
        for kind, target in self._package.relations(part).values():
            if kind != "table" or target not in self._package:
                continue
            table = self._package.xml(target)
            area = _area(table.get("ref", ""))
            if area and table.get("headerRowCount", "1") != "0":
                yield area._replace(bottom=area.top)

    def _rows(
        self, part: str, hidden: set[int] | None = None, notes: Notes | None = None
    ) -> Iterator[model.SheetRow]:
        number = 0
        with self._package.open(part) as stream:
            for element in self._package.events(stream, part, f"{MAIN}row", f"{MAIN}sheetData"):
                if element.tag.endswith("sheetData"):
                    return
                given = element.get("r", "")
                known = given.isdecimal() and len(given) <= 7 and 0 < int(given) <= model.MAX_ROWS
                number = int(given) if known else number + 1
                if hidden is not None and _is_folded(element.attrib, "ht"):
                    hidden.add(number)
                cells = self._cells(element, number, notes)
                forget(element)
                if cells:
                    yield model.SheetRow(number, cells)

    def _cells(self, row: Any, number: int, notes: Notes | None) -> list[model.Cell]:
        cells: list[model.Cell] = []
        column = 0
        in_order = True
        for element in row:
            place = _COLUMNS.of(element.get("r"))
            in_order &= not place or place > column
            column = place or column + 1
            if notes is not None and len(element) > 1:
                formula = element.findtext(_FORMULA) or ""
                self._computed += model.add_formula_link(notes, number, column, formula)
            cell = self._cell(element, column)
            if cell is not None:
                cells.append(cell)
        if not in_order:
            cells = sorted({c.column: c for c in cells}.values())
        return cells

    def _cell(self, element: Any, column: int) -> model.Cell | None:
        raw = None
        formula = False
        kind = element.get("t", "n")
        for child in element:
            tag = child.tag
            if tag == _VALUE:
                raw = child.text
            elif tag == _INLINE and kind == "inlineStr":
                raw = _rich_text(child)
            elif tag == _FORMULA:
                formula = True
        if not raw:
            self._uncomputed += formula and kind != "str"
            return None
        style = element.get("s", "0")
        number = int(style) if style.isdecimal() else 0
        formats = self._formats
        shape, unseen = formats[number] if number < len(formats) else (_GENERAL, "")
        if kind == "s":
            known = raw.isdecimal() and int(raw) < len(self._strings)
            text = shape.show_text(self._strings[int(raw)]) if known else ""
            return model.Cell(column, text, "text", style, unseen) if text else None
        text, cell_kind = self._shown(raw, kind, shape)
        return model.shown_cell(column, text, cell_kind, style, unseen)

    def _shown(self, raw: str, kind: str, shape: NumberFormat) -> tuple[str, CellKind]:
        if kind in {"str", "inlineStr"}:
            return shape.show_text(_unescape(raw)), "text"
        if kind == "b":
            return ("TRUE" if raw.strip().lower() in _TRUE else "FALSE"), "other"
        if kind == "e":
            return raw, "other"
        if kind == "d":
            return self._iso_date(raw, shape), "date"
        try:
            value = float(raw)
        except ValueError:
            return raw, "text"
        if value in _ENDLESS or value != value:  # noqa: PLR0124 - NaN
            return raw, "other"
        shown = shape.show(value, date_1904=self._date_1904)
        return shown, "date" if shape.is_date else "number"

    def _iso_date(self, raw: str, shape: NumberFormat) -> str:
        try:
            when = dt.datetime.fromisoformat(raw.strip()).replace(tzinfo=None)
        except ValueError:
            return raw
        if not shape.is_date:
            return raw
        return shape.show(serial_of(when, date_1904=self._date_1904), date_1904=self._date_1904)


_VALUE, _INLINE, _FORMULA = f"{MAIN}v", f"{MAIN}is", f"{MAIN}f"
_TEXT, _RUN = f"{MAIN}t", f"{MAIN}r"
_ENDLESS = frozenset({float("inf"), float("-inf")})


def _rich_text(item: Any) -> str:
    """Return a string's text including its runs, without phonetic guides."""
    parts = []
    for child in item:
        if child.tag == _TEXT:
            parts.append(child.text or "")
        elif child.tag == _RUN:
            parts.extend(t.text or "" for t in child.iterfind(_TEXT))
    return _unescape("".join(parts))


def _unescape(text: str) -> str:
    """Undo ``_x000D_`` (ECMA-376 part 1, 22.9.2.19)."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text) if "_x" in text else text


class _Columns:
    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, reference: str | None) -> int:
        if not reference:
            return 0
        letters = reference.rstrip("0123456789")
        number = self._known.get(letters)
        if number is None:
            number = 0
            if len(letters) <= 3 and letters.isascii() and letters.isalpha():
                for letter in letters.upper():
                    number = number * 26 + ord(letter) - 64
            number = number if number <= model.MAX_COLUMNS else 0
            self._known[letters[:4]] = number
        return number


_COLUMNS = _Columns()


def _is_folded(facts: Mapping[str, str], size: str) -> bool:
    """Return whether a row or a column is hidden, or has no *size*."""
    return facts.get("hidden") in _TRUE or not facts.get(size, "1").strip("0.")


def _columns(facts: Mapping[str, str]) -> Iterable[int]:
    first, last = (integer(facts.get(name), 0) or 0 for name in ("min", "max"))
    return range(max(first, 1), min(last, model.MAX_COLUMNS) + 1)


def _area(reference: str) -> model.Area | None:
    match = _REFERENCE.fullmatch(reference)
    if not match:
        return None
    left, top = _COLUMNS.of(match[1]), int(match[2])
    right, bottom = _COLUMNS.of(match[3]) or left, int(match[4] or top)
    return model.Area(top, left, bottom, right)
