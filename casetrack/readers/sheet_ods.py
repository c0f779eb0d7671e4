"""Rows of ODS workbooks: the file holds each cell's text as it was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.errors import FileEncrypted
from casetrack.readers.package import Package, forget
from casetrack.readers.sheet_base import Sheet, Workbook
from casetrack.readers.table_rows import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.readers.table_rows import Row

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_META = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
    "initial": "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}initial-creator",
}
_CONTENT = "content.xml"
_MAX_REPEATED = 1000
"""A repeated row with text is written out this often at most; empty ones only count."""


def open_ods(path: Path, kind: str, /) -> Workbook:
    """Open a workbook; its sheets' rows are read when they are asked for.

    Raises
    ------
    FileEncrypted
        It has a password.
    ParseFailed
        The container or a part is damaged.
    """
    package = Package(path, kind)
    manifest = "META-INF/manifest.xml"
    if manifest in package and b"encryption-data" in package.read(manifest):
        package.close()
        raise FileEncrypted(path)
    tables = _tables(package)
    sheets = [
        Sheet(name, hidden, _row_source(package, index))
        for index, (name, hidden) in enumerate(tables)
    ]
    title = author = None
    if "meta.xml" in package:
        meta = package.xml("meta.xml")
        title = meta.findtext(f".//{_META['title']}")
        author = meta.findtext(f".//{_META['initial']}") or meta.findtext(f".//{_META['author']}")
    return Workbook("ods", sheets, package.close, title, author)


def _tables(package: Package) -> list[tuple[str, bool]]:
    """Return name and hiddenness of each sheet, without keeping its rows."""
    hidden_styles: set[str] = set()
    found: list[tuple[str, bool]] = []
    with package.open(_CONTENT) as stream:
        tags = (f"{_STYLE}style", f"{_TABLE}table-row", f"{_TABLE}table")
        for element in package.events(stream, _CONTENT, *tags):
            if element.tag == tags[0]:
                properties = element.find(f"{_STYLE}table-properties")
                if properties is not None and properties.get(f"{_TABLE}display") == "false":
                    hidden_styles.add(element.get(f"{_STYLE}name", ""))
            elif element.tag == tags[2] and _is_sheet(element):
                style = element.get(f"{_TABLE}style-name", "")
                found.append((element.get(f"{_TABLE}name", ""), style in hidden_styles))
            if element.tag != tags[0]:
                forget(element)
    return found


def _is_sheet(table: Any) -> bool:
    """Tell a sheet from a table inside a cell or a chart."""
    parent = table.getparent()
    return parent is not None and parent.tag == f"{_OFFICE}spreadsheet"


def _row_source(package: Package, index: int) -> Callable[[], Iterator[tuple[int, Row]]]:
    return lambda: _rows(package, index)


def _rows(package: Package, wanted: int) -> Iterator[tuple[int, Row]]:
    number, table = 0, 0
    with package.open(_CONTENT) as stream:
        tags = (f"{_TABLE}table-row", f"{_TABLE}table")
        for element in package.events(stream, _CONTENT, *tags):
            if element.tag == tags[1]:
                if _is_sheet(element):
                    table += 1
                    number = 0
                    if table > wanted:
                        return
                forget(element)
                continue
            repeated = _count(element, "number-rows-repeated")
            if table == wanted:
                cells = _cells(element)
                for offset in range(min(repeated, _MAX_REPEATED) if cells else 0):
                    yield number + offset + 1, cells
            number += repeated
            forget(element)


def _count(element: Any, name: str) -> int:
    text = element.get(f"{_TABLE}{name}", "1")
    return max(1, int(text)) if text.isdecimal() else 1


def _cells(row: Any) -> Row:
    out = []
    column = 1
    for element in row:
        if element.tag not in {f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"}:
            continue
        repeated = _count(element, "number-columns-repeated")
        # What lies under a merged cell is not shown.
        text = "" if element.tag == f"{_TABLE}covered-table-cell" else _cell_text(element)
        if text:
            span = _count(element, "number-columns-spanned")
            kind = element.get(f"{_OFFICE}value-type", "string")
            for offset in range(min(repeated, _MAX_REPEATED)):
                out.append(Cell(text, column + offset, span, kind != "string"))
        column += repeated
    return tuple(out)


def _cell_text(cell: Any) -> str:
    parts = [_shown(child) for child in cell if child.tag == f"{_TEXT}p"]
    return " ".join(" ".join(parts).split())


def _shown(element: Any) -> str:
    """Return the text of a paragraph: spaces, tabs and breaks are elements; notes are not cells."""
    text = element.text or ""
    for child in element:
        if child.tag in {f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"}:
            text += " "
        elif child.tag != f"{_OFFICE}annotation":
            text += _shown(child)
        text += child.tail or ""
    return text
