"""Reads spreadsheets (XLSX, XLSM, XLS, ODS): each sheet a page, each row a line.

Numbers and dates read as the sheet shows them. Rows are joined by one newline, paragraphs too:
see :mod:`casetrack.parse.sheets.page`. Pages count the sheets in the order of their tabs, those
of a single chart too; sheets of macros are named and left out. Hidden sheets, rows and columns are
read, and what lies over the cells (text boxes, shapes, charts) behind the row that it begins in.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.detect import OLE_MAGIC, ZIP_MAGIC, read_head
from casetrack.parse.page_builder import clean_title
from casetrack.parse.passwords import decrypted
from casetrack.parse.sheets.model import KIND
from casetrack.parse.sheets.ods import OdsWorkbook
from casetrack.parse.sheets.page import SheetTooLarge, sheet_page
from casetrack.parse.sheets.xls import XlsWorkbook
from casetrack.parse.sheets.xlsx import XlsxWorkbook

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.sheets.model import SheetData, WorkbookFacts

_BIFF_MAGIC = tuple(bytes((9, version, size, 0)) for version, size in ((0, 4), (2, 6), (4, 6)))
"""Workbooks of Excel 2 to 4, which stand in the file without a container."""
_ENCRYPTED = "EncryptedPackage"
_XLSX = (".xlsx", ".xlsm", ".xltx", ".xltm")
_XLS = (".xls", ".xlt")
_OTHER_MARKS = ("an OpenDocument", "a Word", "a PowerPoint", "an EPUB")


class Workbook(Protocol):
    """An open workbook."""

    facts: WorkbookFacts

    def sheets(self) -> Iterator[SheetData]:
        """Yield the sheets in their order; each is read before the next is asked for."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class SheetReader:
    """Spreadsheets; the content decides which parser reads a file."""

    name = KIND
    extensions: tuple[str, ...] = (*_XLSX, *_XLS, ".ods")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a workbook of the extension's own format, also an encrypted or damaged one."""
        if file.head.startswith(OLE_MAGIC):
            if file.extension == ".ods":
                return False
            if file.extension in _XLSX:
                return _ENCRYPTED in file.members
            # A container without any known stream is a damaged workbook as likely as not.
            return not file.members or not file.members.isdisjoint({"Workbook", "Book", _ENCRYPTED})
        if not file.head.startswith(ZIP_MAGIC):
            return file.extension in _XLS and file.head.startswith(_BIFF_MAGIC)
        mark = file.mark or ""
        if file.extension == ".ods":
            return mark.startswith("an OpenDocument spreadsheet") or not file.members
        if file.extension in _XLS or mark.startswith(_OTHER_MARKS):
            return False
        return not file.members or "[content_types].xml" in file.members

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the workbook; see :class:`casetrack.parse.base.Reader`."""
        with ExitStack() as stack:
            workbook = _open(path, options, stack)
            facts = workbook.facts
            info = DocumentInfo(
                facts.format,
                len(facts.names),
                clean_title(facts.title),
                clean_title(facts.author),
                facts.created_at,
                facts.modified_at,
                facts.properties,
            )
            embedded = Reading(info, iter(()), missing=facts.missing)
            if isinstance(workbook, XlsxWorkbook):
                workbook.take_embedded(embedded, options)
            pages = _pages(workbook, path, stack.pop_all())
            return Reading(info, pages, facts.warnings, facts.missing, embedded.attachments)


def _open(path: Path, options: ReadOptions, stack: ExitStack) -> Workbook:
    """Open the workbook; *stack* keeps a decrypted copy until it is closed."""
    content = stack.enter_context(decrypted(path, options, KIND))
    with content.open("rb") as file:
        head = file.read(len(OLE_MAGIC))
    workbook: Workbook
    if head.startswith(OLE_MAGIC):
        if _ENCRYPTED in read_head(content).members:
            raise FileEncrypted(path)
        workbook = XlsWorkbook(path, content)
    elif head.startswith(_BIFF_MAGIC):
        workbook = XlsWorkbook(path, content)
    elif path.suffix.lower() == ".ods":
        workbook = OdsWorkbook(path, options.limits)
    else:
        workbook = XlsxWorkbook(path, content, options.limits)
    stack.callback(workbook.close)
    return workbook


def _pages(workbook: Workbook, path: Path, stack: ExitStack) -> Iterator[Page]:
    with stack:
        try:
            for number, sheet in enumerate(workbook.sheets(), start=1):
                yield sheet_page(number, sheet)
        except SheetTooLarge as error:
            raise ParseFailed(path, KIND, str(error)) from error
