"""Reads workbooks: XLSX, XLS and ODS; each sheet is a page, each row with text a line."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from casetrack.errors import FileEncrypted
from casetrack.readers.base import DocumentInfo, FileHead, Page, Reading
from casetrack.readers.detect import OLE_MAGIC, ZIP_MAGIC
from casetrack.readers.page_builder import PageBuilder, SourceLine, clean_text, clean_title
from casetrack.readers.sheet_ods import open_ods
from casetrack.readers.sheet_xls import open_xls
from casetrack.readers.sheet_xlsx import open_xlsx
from casetrack.readers.table_rows import (
    HEADER_WITHIN,
    Cell,
    find_header,
    header_names,
    is_new_header,
    row_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.readers.sheet_base import Sheet, Workbook
    from casetrack.readers.table_rows import Row

_AHEAD = HEADER_WITHIN + 5
_ODS_MIME = b"opendocument.spreadsheet"
_OLD_BIFF = (b"\x09\x08", b"\x09\x04", b"\x09\x02", b"\x09\x00")
_XLSX, _XLS, _ODS = (".xlsx", ".xlsm"), ".xls", ".ods"


class SheetReader:
    """Workbooks of Excel and OpenDocument."""

    name = "Spreadsheet"
    extensions: tuple[str, ...] = (*_XLSX, _XLS, _ODS)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept the container that the extension stands for, also a damaged or encrypted one."""
        is_zip, is_ole = file.head.startswith(ZIP_MAGIC), file.head.startswith(OLE_MAGIC)
        if file.extension in _XLSX:
            if is_ole:
                return "EncryptedPackage" in file.members
            return is_zip and (
                not file.members or any(m.startswith("xl/") for m in file.members)
            )
        if file.extension == _ODS:
            return is_zip and (not file.members or _ODS_MIME in file.head[:256])
        if is_ole:
            return not file.members or bool(file.members & {"Workbook", "Book", "EncryptedPackage"})
        return file.head.startswith(_OLD_BIFF)

    def read(self, path: Path, /) -> Reading:
        """Open the workbook; see :class:`casetrack.readers.base.Reader`."""
        book = self._open(path)
        warnings = list(book.warnings)
        hidden = [sheet.name for sheet in book.sheets if sheet.is_hidden]
        if hidden:
            names = ", ".join(f'"{clean_text(name)}"' for name in hidden[:20])
            warnings.append(f"Hidden sheets were read too: {names}.")
        info = DocumentInfo(
            book.format,
            len(book.sheets),
            title=clean_title(book.title),
            author=clean_title(book.author),
        )
        return Reading(info, _pages(book, warnings), warnings)

    def _open(self, path: Path) -> Workbook:
        extension = path.suffix.lower()
        if extension == _ODS:
            return open_ods(path, self.name)
        if extension == _XLS:
            return open_xls(path, self.name)
        with path.open("rb") as file:
            if file.read(len(OLE_MAGIC)) == OLE_MAGIC:
                raise FileEncrypted(path)
        return open_xlsx(path, self.name)


def _pages(book: Workbook, warnings: list[str]) -> Iterator[Page]:
    try:
        for number, sheet in enumerate(book.sheets, start=1):
            if sheet.note:
                warnings.append(f'Sheet "{clean_text(sheet.name)}" was left out: {sheet.note}.')
            yield _page(number, sheet)
    finally:
        book.close()
    for name, count in book.unknown_results.items():
        warnings.append(
            f'Sheet "{clean_text(name)}" has {count} formulas without a stored result, which are '
            "left out. Open the workbook in its program and save it to store them."
        )


def _page(number: int, sheet: Sheet) -> Page:
    builder = PageBuilder(number, method="Spreadsheet", sheet_name=sheet.name)
    rows = sheet.rows()
    names: dict[int, str] = {}
    ahead = list(itertools.islice(rows, _AHEAD))
    header = find_header([row for _, row in ahead])
    index, last = 0, 0
    while ahead:
        row_number, row = ahead.pop(0)
        if index == header:
            names = header_names(row)
            _add(builder, row_number, row, row_text(row, {}), is_header=True)
        elif _begins_table(row_number, row, last, names, [r for _, r in ahead[:5]]):
            names = header_names(row)
            _add(builder, row_number, row, row_text(row, {}))
        else:
            _add(builder, row_number, row, row_text(row, names))
        index, last = index + 1, row_number
        ahead.extend(itertools.islice(rows, 1))
    return builder.build()


def _begins_table(
    number: int, row: Row, last: int, names: dict[int, str], after: list[Row]
) -> bool:
    """Tell whether a row after an empty one is the header of a further table on the sheet."""
    return bool(names) and number > last + 1 and is_new_header(row, after)


def _add(
    builder: PageBuilder, number: int, row: tuple[Cell, ...], text: str, *, is_header: bool = False
) -> None:
    line = SourceLine(
        text,
        number,
        row=number,
        column_start=row[0].column,
        column_end=max(cell.column + cell.span - 1 for cell in row),
    )
    if is_header:
        builder.paragraph([line], kind="heading", level=1)
    else:
        builder.paragraph([line], kind="table")
