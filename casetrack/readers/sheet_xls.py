"""Rows of XLS workbooks (Excel 97-2003), each value as its cell's format shows it.

``xlrd`` gives values with their formats. What it cannot open, ``python_calamine`` often can, but
without formats; such values are shown plainly and a warning says so.
"""

from __future__ import annotations

import datetime
import struct
from typing import TYPE_CHECKING, Any

from casetrack.errors import FileEncrypted, ParseFailed
from casetrack.readers import number_format
from casetrack.readers.sheet_base import MergedAreas, Sheet, Span, Workbook
from casetrack.readers.table_rows import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.readers.table_rows import Row

_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5
_ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
}
_PLAIN = (
    "The number formats of this workbook could not be read; "
    "numbers and dates are shown plainly, not as its cells show them."
)


def open_xls(path: Path, kind: str, /) -> Workbook:
    """Open a workbook.

    Raises
    ------
    FileEncrypted
        It has a password.
    ParseFailed
        Neither library can read it.
    """
    import xlrd

    try:
        with open_quietly() as log:
            book = xlrd.open_workbook(
                str(path), formatting_info=True, on_demand=True, ragged_rows=True, logfile=log
            )
            return _with_formats(book)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - xlrd raises anything on unusual files
        if "encrypted" in str(error).lower():
            raise FileEncrypted(path) from error
        return _without_formats(path, kind, error)


def open_quietly() -> Any:
    """Return a stream that swallows what xlrd prints about odd files."""
    import os

    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - closed by the caller


def _with_formats(book: Any) -> Workbook:
    sheets = []
    for index, name in enumerate(book.sheet_names()):
        hidden = bool(book._sheet_visibility[index]) if book._sheet_visibility else False
        sheets.append(Sheet(name, hidden, _row_source(book, index)))
    return Workbook("xls", sheets, book.release_resources, None, book.user_name or None)


def _row_source(book: Any, index: int) -> Callable[[], Iterator[tuple[int, Row]]]:
    return lambda: _rows(book, index)


def _rows(book: Any, index: int) -> Iterator[tuple[int, Row]]:
    sheet = book.sheet_by_index(index)
    merged = MergedAreas(
        {
            (top + 1, left + 1): Span(top + 1, left + 1, bottom - top, right - left)
            for top, bottom, left, right in sheet.merged_cells
        }
    )
    for row in range(sheet.nrows):
        cells = []
        for column, cell in enumerate(sheet.row(row)):
            text, is_value = _shown(book, cell)
            if text and not merged.hides(row + 1, column + 1):
                span = merged.columns(row + 1, column + 1)
                cells.append(Cell(text, column + 1, span, is_value))
        if cells:
            yield row + 1, tuple(cells)
    book.unload_sheet(index)


def _shown(book: Any, cell: Any) -> tuple[str, bool]:
    kind, value = cell.ctype, cell.value
    if kind == _BOOLEAN:
        return ("TRUE" if value else "FALSE"), True
    if kind == _ERROR:
        return _ERRORS.get(value, "#ERROR!"), True
    code = number_format.GENERAL
    if cell.xf_index is not None and cell.xf_index < len(book.xf_list):
        found = book.format_map.get(book.xf_list[cell.xf_index].format_key)
        code = found.format_str if found else code
    if kind == _TEXT:
        return " ".join(number_format.show_text(value, code).split()), False
    if kind in {_NUMBER, _DATE}:
        try:
            return number_format.show(value, code, is_1904=bool(book.datemode)), True
        except (ValueError, ArithmeticError):
            return str(value), True
    return "", False


def _without_formats(path: Path, kind: str, first: Exception) -> Workbook:
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        sheets = []
        for index, meta in enumerate(book.sheets_metadata):
            hidden = meta.visible != python_calamine.SheetVisibleEnum.Visible
            sheets.append(Sheet(meta.name, hidden, _plain_source(book, index, path, kind)))
    except python_calamine.PasswordError as error:
        raise FileEncrypted(path) from error
    except (python_calamine.CalamineError, OSError, ValueError, struct.error) as error:
        reason = " ".join(str(error).split())[:200]
        raise ParseFailed(path, kind, f"{reason} ({first})") from error
    return Workbook("xls", sheets, book.close, warnings=[_PLAIN])


def _plain_source(
    book: Any, index: int, path: Path, kind: str
) -> Callable[[], Iterator[tuple[int, Row]]]:
    return lambda: _plain_rows(book, index, path, kind)


def _plain_rows(book: Any, index: int, path: Path, kind: str) -> Iterator[tuple[int, Row]]:
    import python_calamine

    try:
        sheet = book.get_sheet_by_index(index)
        rows = sheet.to_python(skip_empty_area=False)
    except python_calamine.CalamineError as error:
        raise ParseFailed(path, kind, str(error)) from error
    for number, values in enumerate(rows, start=1):
        cells = []
        for column, value in enumerate(values, start=1):
            text = _plain(value)
            if text:
                cells.append(Cell(text, column, 1, not isinstance(value, str)))
        if cells:
            yield number, tuple(cells)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return number_format.show_general(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return "" if value is None else str(value)
