"""Writes workbooks: XLSX with formulas and their values, and ODS."""

from __future__ import annotations

import datetime as dt
import io
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import openpyxl
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

from _make.zips import read_zip, write_zip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Value = str | int | float | dt.date


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: what is stored in it, the value it shows, and the number format it shows it in."""

    stored: Value
    value: Value
    number_format: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet; ``header_row`` is 1-based, ``merge`` holds ranges such as ``A1:G1``."""

    name: str
    header_row: int
    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[int, ...]
    merge: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """A workbook with the properties of its file."""

    title: str
    author: str
    date: dt.date
    sheets: tuple[Sheet, ...]


def load_book(path: Path, /) -> Book:
    """Read a workbook's TOML and work out its formulas."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Book(
        data["title"], data["author"], data["date"], tuple(_sheet(one) for one in data["sheet"])
    )


def _sheet(data: dict[str, Any], /) -> Sheet:
    formats, header_row = data["formats"], data["header_row"]
    stored: list[list[tuple[Value, str]]] = []
    for number, row in enumerate(data["rows"], 1):
        cells = []
        for cell, column_format in zip(row, formats[: len(row)], strict=True):
            if isinstance(cell, dict):
                cells.append((cell["v"], cell["f"]))
            else:
                cells.append((cell, column_format if number > header_row else "@"))
        stored.append(cells)
    values: dict[str, Value] = {}
    rows = []
    for number, row in enumerate(stored, 1):
        built = []
        for column, (content, number_format) in enumerate(row, 1):
            value = evaluate(content, values)
            values[f"{get_column_letter(column)}{number}"] = value
            built.append(Cell(content, value, number_format))
        rows.append(tuple(built))
    return Sheet(
        data["name"],
        header_row,
        tuple(rows),
        tuple(data.get("widths", ())),
        tuple(data.get("merge", ())),
    )


def evaluate(content: Value, values: dict[str, Value], /) -> Value:
    """Work out a cell: the content itself, or the result of a formula over earlier cells.

    Formulas may hold SUM over a part of one column, cell names, numbers and ``+ - * / ( )``.
    """
    if not (isinstance(content, str) and content.startswith("=")):
        return content

    def total(found: re.Match[str]) -> str:
        column, first, last = found.group(1), int(found.group(2)), int(found.group(3))
        return repr(sum(_number(values[f"{column}{row}"]) for row in range(first, last + 1)))

    text = re.sub(r"SUM\(([A-Z])(\d+):\1(\d+)\)", total, content[1:])
    text = re.sub(r"[A-Z]\d+", lambda found: repr(_number(values[found.group()])), text)
    if not re.fullmatch(r"[-+*/(). \de]+", text):
        raise ValueError(f"formula not understood: {content}")
    result = eval(text, {"__builtins__": {}})
    return round(result, 10) if isinstance(result, float) else result


def _number(value: Value, /) -> int | float:
    return value if isinstance(value, int | float) else 0


def show(value: Value, number_format: str, /) -> str:
    """Write ``value`` as a spreadsheet program shows it, in one of the formats used here."""
    if isinstance(value, str):
        return value
    if isinstance(value, dt.date):
        return value.strftime({"mmm yyyy": "%b %Y", "dd mmm yyyy": "%d %b %Y"}[number_format])
    pattern = number_format.split(";", maxsplit=1)[0]
    if pattern in {"General", "@"}:
        return str(value)
    currency = "£" if pattern.startswith("£") else ""
    percent = "%" if pattern.endswith("%") else ""
    decimals = len(pattern.partition(".")[2].rstrip("%"))
    amount = abs(value) * (100 if percent else 1)
    digits = f"{amount:{',' if ',' in pattern else ''}.{decimals}f}"
    minus = "-" if value < 0 and digits.strip("0.") else ""
    return f"{minus}{currency}{digits}{percent}"


def shown_rows(sheet: Sheet, /) -> Iterator[str]:
    """Rows below the header as ``Header: value | Header: value``, empty cells left out."""
    headers = [str(cell.value) for cell in sheet.rows[sheet.header_row - 1]]
    for row in sheet.rows[sheet.header_row :]:
        pairs = zip(headers, (show(cell.value, cell.number_format) for cell in row), strict=True)
        yield " | ".join(f"{header}: {text}" for header, text in pairs if text)


def write_xlsx(path: Path, book: Book, /) -> None:
    """Write the workbook; each formula carries its value, as a spreadsheet program saves it."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for sheet in book.sheets:
        _fill(workbook.create_sheet(sheet.name), sheet)
    workbook.properties.title, workbook.properties.creator = book.title, book.author
    moment = dt.datetime.combine(book.date, dt.time(9))
    workbook.properties.created = moment
    buffer = io.BytesIO()
    workbook.save(buffer)
    path.write_bytes(buffer.getvalue())
    members = []
    for name, data in read_zip(path):
        text = data
        if name == "docProps/core.xml":
            # openpyxl stamps the time of saving.
            text = re.sub(
                rb"(<dcterms:modified[^>]*>)[^<]*",
                rb"\g<1>" + f"{moment:%Y-%m-%dT%H:%M:%SZ}".encode(),
                data,
            )
        elif found := re.fullmatch(r"xl/worksheets/sheet(\d+)\.xml", name):
            text = _with_values(data, book.sheets[int(found.group(1)) - 1])
        members.append((name, text))
    write_zip(path, members)


def _fill(target: Any, sheet: Sheet, /) -> None:
    for number, row in enumerate(sheet.rows, 1):
        for column, cell in enumerate(row, 1):
            if cell.stored == "":
                continue
            place = target.cell(number, column, cell.stored)
            place.number_format = "General" if cell.number_format == "@" else cell.number_format
            if number <= sheet.header_row:
                place.font = Font(bold=True)
            if number == sheet.header_row:
                place.fill = PatternFill("solid", fgColor="DDE6EE")
                place.alignment = Alignment(wrap_text=True, vertical="top")
    for column, width in enumerate(sheet.widths, 1):
        target.column_dimensions[get_column_letter(column)].width = width
    for cells in sheet.merge:
        target.merge_cells(cells)
        target[cells.partition(":")[0]].alignment = Alignment(vertical="top")
    target.freeze_panes = target.cell(sheet.header_row + 1, 1)


def _with_values(data: bytes, sheet: Sheet, /) -> bytes:
    """Put the value behind each formula, where openpyxl leaves ``<v />``."""

    def fill(found: re.Match[str]) -> str:
        column, row = ord(found.group(2)) - ord("A"), int(found.group(3)) - 1
        return f"{found.group(1)}<v>{sheet.rows[row][column].value!r}</v>"

    text = data.decode("utf-8")
    pattern = r'(<c r="([A-Z])(\d+)"[^>]*><f>[^<]*</f>)<v(?: ?/>|></v>)'
    filled, count = re.subn(pattern, fill, text)
    formulas = sum(str(cell.stored).startswith("=") for row in sheet.rows for cell in row)
    if count != formulas:
        raise ValueError(f"{sheet.name}: {count} of {formulas} formulas given a value")
    return filled.encode("utf-8")


_NAMESPACES = {
    part: f"urn:oasis:names:tc:opendocument:xmlns:{part}:1.0"
    for part in ("office", "table", "text", "meta")
}


def write_ods(path: Path, book: Book, /) -> None:
    """Write a workbook of text and numbers as an OpenDocument spreadsheet."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    spaces = " ".join(f"xmlns:{part}={quoteattr(name)}" for part, name in _NAMESPACES.items())
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<office:%s {spaces} office:version="1.3">'
    tables = "".join(
        f"<table:table table:name={quoteattr(sheet.name)}>"
        + "".join(
            f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>"
            for row in sheet.rows
        )
        + "</table:table>"
        for sheet in book.sheets
    )
    content = (
        start % "document-content"
        + f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        + "</office:document-content>"
    )
    meta = (
        start % "document-meta"
        + f"<office:meta><meta:initial-creator>{escape(book.author)}</meta:initial-creator>"
        + f"<meta:creation-date>{book.date}T09:00:00</meta:creation-date></office:meta>"
        + "</office:document-meta>"
    )
    files = {"/": kind, "content.xml": "text/xml", "meta.xml": "text/xml"}
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{media}"/>'
        for name, media in files.items()
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
        'manifest:version="1.3">'
        f"{entries}</manifest:manifest>"
    )
    # The kind must come first and uncompressed, so that the file is known by its first bytes.
    members = [
        ("mimetype", kind),
        ("content.xml", content),
        ("meta.xml", meta),
        ("META-INF/manifest.xml", manifest),
    ]
    write_zip(path, [(name, text.encode("utf-8")) for name, text in members])


def _ods_cell(cell: Cell, /) -> str:
    text = f"<text:p>{escape(show(cell.value, cell.number_format))}</text:p>"
    if isinstance(cell.value, str):
        return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'
    kind = (
        'office:value-type="currency" office:currency="GBP"'
        if cell.number_format.startswith("£")
        else 'office:value-type="float"'
    )
    return f'<table:table-cell {kind} office:value="{cell.value}">{text}</table:table-cell>'
