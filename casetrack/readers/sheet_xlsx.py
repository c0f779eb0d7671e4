"""Rows of XLSX workbooks, row by row, each value as its cell's format shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.readers import number_format
from casetrack.readers.package import Package, forget
from casetrack.readers.sheet_base import MergedAreas, Sheet, Span, Workbook, column_number, parse_range
from casetrack.readers.table_rows import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.readers.table_rows import Row

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_REFERENCE = re.compile(r"([A-Za-z]{1,3})(\d+)$")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*?\bref=[\"']([A-Za-z0-9:$]+)[\"']")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAX_MERGED = 100_000


@dataclass(slots=True)
class _Context:
    """What the cells of all sheets share."""

    package: Package
    strings: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    is_1904: bool = False
    unknown_results: dict[str, int] = field(default_factory=dict)


def open_xlsx(path: Path, kind: str, /) -> Workbook:
    """Open a workbook; its sheets' rows are read when they are asked for.

    Raises
    ------
    ParseFailed
        The container or a part is damaged.
    """
    package = Package(path, kind)
    main = next((t for k, t in package.relations("").values() if k == "officeDocument"), None)
    if main is None or main not in package:
        main = "xl/workbook.xml"
    root = package.xml(main)
    relations = package.relations(main)
    by_kind = {kind: target for kind, target in relations.values()}
    properties = root.find(f"{S}workbookPr")
    context = _Context(
        package,
        is_1904=properties is not None and properties.get("date1904") in {"1", "true", "on"},
    )
    context.formats = _formats(package, by_kind.get("styles", ""))
    context.strings = _strings(package, by_kind.get("sharedStrings", ""))
    sheets = []
    for element in root.iter(f"{S}sheet"):
        name = element.get("name", "")
        part_kind, part = relations.get(element.get(_RELATION, ""), ("", ""))
        hidden = element.get("state", "visible") != "visible"
        if part_kind == "worksheet" and part in package:
            sheets.append(Sheet(name, hidden, _row_source(context, part, name)))
        else:
            sheets.append(Sheet(name, hidden, lambda: iter(()), note=_missing(part_kind)))
    core = package.core()
    return Workbook(
        "xlsx", sheets, package.close, core["title"], core["author"], context.unknown_results
    )


def _missing(kind: str) -> str:
    if kind in {"chartsheet", "dialogsheet", "macrosheet", "xlMacrosheet"}:
        return "it is a chart, dialog or macro sheet, without cells"
    return "its cells are missing from the file"


def _row_source(
    context: _Context, part: str, name: str
) -> Callable[[], Iterator[tuple[int, Row]]]:
    return lambda: _rows(context, part, name)


def _formats(package: Package, part: str) -> list[str]:
    """Return the number format of each cell style."""
    if part not in package:
        return []
    root = package.xml(part)
    own = {
        element.get("numFmtId"): element.get("formatCode", number_format.GENERAL)
        for element in root.iter(f"{S}numFmt")
    }
    found = []
    styles = root.find(f"{S}cellXfs")
    for style in () if styles is None else styles.iter(f"{S}xf"):
        number = style.get("numFmtId", "0")
        built_in = number_format.BUILT_IN.get(int(number)) if number.isdecimal() else None
        found.append(own.get(number) or built_in or number_format.GENERAL)
    return found


def _strings(package: Package, part: str) -> list[str]:
    if part not in package:
        return []
    found = []
    with package.open(part) as stream:
        for element in package.events(stream, part, f"{S}si"):
            found.append(_rich_text(element))
            forget(element)
    return found


def _rich_text(element: Any) -> str:
    """Return the text of a string; phonetic hints over it are left out."""
    parts = []
    for child in element:
        if child.tag == f"{S}t":
            parts.append(child.text or "")
        elif child.tag == f"{S}r":
            parts += [t.text or "" for t in child.iter(f"{S}t")]
    return _unescape("".join(parts))


def _unescape(text: str) -> str:
    """Undo ``_x000D_``, the way Excel writes characters that XML cannot hold."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)), text)


def _merged(context: _Context, part: str) -> MergedAreas:
    """Find the merged areas, which stand behind the cells in the file."""
    found: dict[tuple[int, int], Span] = {}
    rest = b""
    with context.package.open(part) as stream:
        while block := stream.read(1 << 20):
            data = rest + block
            for match in _MERGED.finditer(data):
                span = parse_range(match[1].decode("ascii"))
                if span is not None and len(found) < _MAX_MERGED:
                    found[span.row, span.column] = span
            # A reference may be cut by the end of a block; seen twice it does no harm.
            rest = data[-256:]
    return MergedAreas(found)


def _rows(context: _Context, part: str, name: str) -> Iterator[tuple[int, Row]]:
    merged = _merged(context, part)
    number = 0
    with context.package.open(part) as stream:
        for element in context.package.events(stream, part, f"{S}row"):
            given = element.get("r", "")
            number = int(given) if given.isdecimal() else number + 1
            cells = _cells(context, element, number, merged, name)
            forget(element)
            if cells:
                yield number, cells


def _cells(
    context: _Context, row: Any, number: int, merged: MergedAreas, name: str
) -> Row:
    out = []
    column = 0
    for element in row:
        if element.tag != f"{S}c":
            continue
        reference = _REFERENCE.match(element.get("r", ""))
        column = column_number(reference[1]) if reference else column + 1
        text, is_value = _shown(context, element, name)
        text = " ".join(text.split())
        if text and not merged.hides(number, column):
            out.append(Cell(text, column, merged.columns(number, column), is_value))
    out.sort(key=lambda cell: cell.column)
    return tuple(out)


def _shown(context: _Context, element: Any, name: str) -> tuple[str, bool]:
    """Return a cell's text as shown, and whether it is a value rather than text."""
    kind = element.get("t", "n")
    if kind == "inlineStr":
        inline = element.find(f"{S}is")
        return ("" if inline is None else _rich_text(inline)), False
    value = element.findtext(f"{S}v")
    if value is None or value == "":
        if element.find(f"{S}f") is not None:
            context.unknown_results[name] = context.unknown_results.get(name, 0) + 1
        return "", False
    style = element.get("s", "0")
    index = int(style) if style.isdecimal() else 0
    code = context.formats[index] if index < len(context.formats) else number_format.GENERAL
    if kind == "s":
        at = int(value) if value.strip().isdecimal() else -1
        text = context.strings[at] if 0 <= at < len(context.strings) else ""
        return number_format.show_text(text, code), False
    if kind == "str":
        return number_format.show_text(_unescape(value), code), False
    if kind == "b":
        return ("TRUE" if value.strip() in {"1", "true"} else "FALSE"), True
    if kind == "e":
        return value, True
    if kind == "d":
        return value.replace("T00:00:00", "").replace("T", " "), True
    return _number(value, code, is_1904=context.is_1904), True


def _number(value: str, code: str, *, is_1904: bool) -> str:
    try:
        return number_format.show(float(value), code, is_1904=is_1904)
    except (ValueError, ArithmeticError):
        # Not a number, infinite, or beyond what the format can show: as stored.
        return value
