"""Read spreadsheets (XLSX, XLSM, XLS, ODS): each sheet is a page, each row a line.

Numbers and dates appear as the sheet displays them. One newline joins rows and paragraphs. Pages
count all sheets in tab order, including chart sheets; macro sheets are named and skipped. Hidden
sheets, rows and columns are read; objects over the cells (text boxes, shapes, charts) follow the
row in which they begin.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.base.provenance import HIDDEN_KINDS, HiddenSpan
from casetrack.extract.tables.header import MAX_LEVELS
from casetrack.parse.base import (
    DEFAULT_OPTIONS,
    DocumentInfo,
    FileHead,
    Line,
    Page,
    Paragraph,
    Reading,
    ReadOptions,
)
from casetrack.parse.detect import OLE_MAGIC, ZIP_MAGIC, read_head
from casetrack.parse.page_builder import clean_text, clean_title, whole_hidden
from casetrack.parse.passwords import decrypted
from casetrack.parse.sheets.bands import LOOK_AHEAD, Band, Header, bands_of, find_header, labels_of
from casetrack.parse.sheets.model import KIND, MAX_ROWS, Area, Cell, Note, SheetRow
from casetrack.parse.sheets.ods import OdsWorkbook
from casetrack.parse.sheets.xls import XlsWorkbook
from casetrack.parse.sheets.xlsx import XlsxWorkbook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from casetrack.parse.base import ParagraphKind
    from casetrack.parse.sheets.model import Drawn, SheetData, WorkbookFacts

# Builds the page of a sheet: each row is a line ``Header: value | Header: value``. Every row is a
# line and a paragraph, and one newline joins paragraphs: empty lines would waste space between all
# rows.

_SEPARATOR = " | "
MAX_SHEET_CHARS = 100_000_000
"""Maximum characters of a sheet: a short file can name one long text a million times."""


class SheetTooLarge(Exception):
    """A sheet has more text than the limit."""


def sheet_page(number: int, sheet: SheetData, /) -> Page:
    """Return the page of a sheet, ``Skipped`` without text; may raise ``SheetTooLarge``."""
    return _Layout(number, sheet).build()


class _Merged:
    """Returns the merged ranges that touch a row, for mostly ascending rows."""

    def __init__(self, areas: Sequence[Area]) -> None:
        self._areas = areas
        self._next = 0
        self._last = 0
        self._open: list[Area] = []

    def at(self, row: int) -> list[Area]:
        if row < self._last:
            self._next, self._open = 0, []
        self._last = row
        while self._next < len(self._areas) and self._areas[self._next].top <= row:
            self._open.append(self._areas[self._next])
            self._next += 1
        if self._open:
            self._open = [a for a in self._open if a.bottom >= row]
        return self._open

    def near(self, row: int) -> list[Area]:
        """Return also the ranges of the rows below that a header may include."""
        areas = list(self.at(row))
        at = self._next
        while at < len(self._areas) and self._areas[at].top < row + MAX_LEVELS:
            areas.append(self._areas[at])
            at += 1
        return areas


class _Layout:
    """Reads the rows once, with lookahead, and writes lines."""

    def __init__(self, number: int, sheet: SheetData) -> None:
        self._number, self._sheet = number, sheet
        self._merged = _Merged(sheet.merged)
        self._notes = sheet.notes  # It may grow with the rows.
        self._drawn: dict[int, list[Drawn]] = {}
        for drawn in sheet.drawn:
            self._drawn.setdefault(drawn.row, []).append(drawn)
        self._waiting = sorted(self._drawn, reverse=True)
        self._declared: dict[int, list[Area]] = {}
        for area in sheet.headers:
            self._declared.setdefault(area.top, []).append(area)
        self._first_declared = min(self._declared, default=0)
        self._bands: list[Band] = []
        self._texts: list[str] = []
        self._length = 0
        self._lines: list[Line] = []
        self._paragraphs: list[Paragraph] = []
        self._hidden: list[HiddenSpan] = []

    def build(self) -> Page:
        rows = _Window(self._with_notes(self._visible(self._sheet.rows)))
        last = 0
        while (row := rows.take()) is not None:
            if self._length + sum(len(c.text) for c in row.cells) > MAX_SHEET_CHARS:
                raise SheetTooLarge(
                    f'the sheet "{self._sheet.name}" shows more than '
                    f"{MAX_SHEET_CHARS // 1_000_000} million characters"
                )
            if row.number != last + 1 or not self._are_within(row):
                self._bands = bands_of(row, rows.ahead, self._bands, self._first_declared)
            last = row.number
            self._write_drawn(row.number)
            self._row(row, rows)
        self._write_drawn(MAX_ROWS + 1)
        self._hidden += [
            HiddenSpan("hidden", line.start, line.end)
            for line in self._lines
            if line.number in self._sheet.hidden_rows
        ]
        for text in self._sheet.heads:
            self._write_line(last + 1, {1}, text, "body", None)
        text = "\n".join(self._texts)
        return Page(
            number=self._number,
            text=text,
            hidden=whole_hidden(text)
            if self._sheet.is_hidden
            else tuple(sorted(self._hidden, key=lambda span: span.start)),
            lines=tuple(self._lines),
            paragraphs=tuple(self._paragraphs),
            method="Spreadsheet" if self._lines else "Skipped",
            sheet_name=clean_text(self._sheet.name).strip() or "?",
        )

    def _visible(self, rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
        """Move text of cells covered by a merged range after their row; the first cell stays."""
        if not self._sheet.merged:
            yield from rows
            return
        merged, first = _Merged(self._sheet.merged), dict[Area, str]()
        for row in rows:
            areas = merged.at(row.number)
            if not areas:
                yield row
                continue
            covers = {column: a for a in areas for column in range(a.left, a.right + 1)}
            cells, below = list[Cell](), list[Note]()
            for cell in row.cells:
                area = covers.get(cell.column)
                if area is None:
                    cells.append(cell)
                elif (area.top, area.left) == (row.number, cell.column):
                    first[area] = cell.text
                    cells.append(cell)
                elif cell.text != first.get(area):
                    text = f"[{HIDDEN_KINDS['covered']}: {cell.text}]"
                    below.append(Note(cell.column, text, unseen="covered"))
            if cells:
                if below:
                    self._notes.setdefault(row.number, []).extend(below)
                yield row._replace(cells=cells)
            elif below:
                yield _note_row(row.number, below)

    def _with_notes(self, rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
        """Yield comments on empty rows as separate rows; others follow their row."""
        waiting = sorted(self._notes)
        at = 0
        for row in rows:
            while at < len(waiting) and waiting[at] < row.number:
                yield _note_row(waiting[at], self._notes.pop(waiting[at]))
                at += 1
            if at < len(waiting) and waiting[at] == row.number:
                at += 1
            yield row
        for number in waiting[at:]:
            yield _note_row(number, self._notes.pop(number))

    def _are_within(self, row: SheetRow) -> bool:
        bands = self._bands
        if len(bands) == 1:
            band = bands[0]
            return band.left <= row.cells[0].column and row.cells[-1].column <= band.right
        return all(any(b.left <= cell.column <= b.right for b in bands) for cell in row.cells)

    def _row(self, row: SheetRow, rows: _Window) -> None:
        merged = self._merged.at(row.number)
        declared = self._declared.get(row.number, ())
        parts = self._parts(row)
        for band, part in parts:
            band.begin(part, rows)
        searching = [x for x in parts if x[0].is_searching(x[1], declared)]
        if searching:
            self._find_headers(row, rows, searching)
            parts = self._parts(row)
        is_alone = len(row.cells) == 1
        written = [band.write(part, merged, declared, is_alone=is_alone) for band, part in parts]
        kinds = {part.kind for part in written}
        texts = [text for part in written for text in part.texts]
        kind: ParagraphKind = "table"
        if kinds <= {"heading", "body"} and (len(texts) == 1 or "heading" in kinds):
            kind = "heading" if "heading" in kinds else "body"
        start = self._length + bool(self._texts)
        columns = self._sheet.hidden_columns
        is_hidden = columns or any(cell.unseen for cell in row.cells)
        shown = texts if is_hidden else [text for part in written for text in part.shown]
        self._write(row, _SEPARATOR.join(shown), kind, 1 if kind == "heading" else None)

        if is_hidden:
            cells = (cell for _, part in parts for cell in part.cells)
            unseen = ("hidden" if c.column in columns else c.unseen for c in cells)
            self._hide(row.number, start, zip(unseen, texts, strict=True))

    def _hide(self, row: int, start: int, parts: Iterable[tuple[str, str]]) -> None:
        """Mark the hidden parts of a row; adjacent ones become one span."""
        end, last = -1, ""
        for kind, text in () if row in self._sheet.hidden_rows else parts:
            if kind:
                is_next = kind == last and end + len(_SEPARATOR) == start
                before = self._hidden.pop().start if is_next else start
                end, last = start + len(text), kind
                self._hidden.append(HiddenSpan(kind, before, end))
            start += len(text) + len(_SEPARATOR)

    def _parts(self, row: SheetRow) -> list[tuple[Band, SheetRow]]:
        """Return the bands with cells in a row, each with its part of the row."""
        return [(band, part) for band in self._bands if (part := band.within(row)).cells]

    def _find_headers(
        self, row: SheetRow, rows: _Window, parts: Sequence[tuple[Band, SheetRow]]
    ) -> None:
        """Find the column headers of bands: for each separately, or else for all as one table."""
        merged = self._merged.near(row.number)
        headers = [
            (band, part, band.header(part, rows, merged, shared=len(part.cells) < len(row.cells)))
            for band, part in parts
        ]
        opened = next((band for band, _, header in headers if header is not None), None)
        joined = []
        for band, part, header in headers:
            if header is not None:
                band.take(header, part)
            elif opened is not None and band.extends_header(opened, part, rows, merged):
                band.take(Header(labels_of(part, merged)), part)
                joined += [opened, band]
        if opened is None and len(parts) > 1:
            cells = [cell for _, part in parts for cell in part.cells]
            certain = any(band.needs_certainty for band, _ in parts)
            whole = row._replace(cells=cells)
            header = find_header(whole, rows.ahead, merged, certain=certain)
            if header is not None:
                joined = [band for band, _ in parts]
                for band, part in parts:
                    band.take(header, part)
        if joined:
            self._join(joined)

    def _join(self, bands: Sequence[Band]) -> None:
        left, right = min(b.left for b in bands), max(b.right for b in bands)
        inside = [b for b in self._bands if left <= b.left and b.right <= right]
        first = self._bands.index(inside[0])
        whole = Band(left, right, self._first_declared, inside)
        self._bands[first : first + len(inside)] = [whole]

    def _write_drawn(self, before: int) -> None:
        while self._waiting and self._waiting[-1] < before:
            number = self._waiting.pop()
            drawn = self._drawn.pop(number, ())
            if drawn:
                text = _SEPARATOR.join(one.text for one in drawn)
                self._write_line(number, _columns(drawn), text, "body", None)

    def _write(
        self, row: SheetRow, text: str, kind: ParagraphKind, level: int | None = None
    ) -> None:
        notes, drawn = self._notes.pop(row.number, []), self._drawn.pop(row.number, ())
        notes = [note for note in notes if not note.link or note.link not in text]
        start = self._length + bool(self._texts) + len(text) + len(_SEPARATOR)
        self._hide(row.number, start, ((note.unseen, note.text) for note in notes))
        behind = (*(note.text for note in notes), *(f"[{one.text}]" for one in drawn))
        columns = {c.column for c in row.cells} | {n.column for n in notes} | _columns(drawn)
        self._write_line(row.number, columns, _SEPARATOR.join((text, *behind)), kind, level)

    def _write_line(
        self, number: int, columns: set[int], text: str, kind: ParagraphKind, level: int | None
    ) -> None:
        start = self._length + bool(self._texts)
        self._texts.append(text)
        self._length = end = start + len(text)
        self._lines.append(
            Line(start, end, number, row=number, column_start=min(columns), column_end=max(columns))
        )
        self._paragraphs.append(Paragraph(start, end, len(self._lines), kind, level))


def _note_row(number: int, notes: Iterable[Note]) -> SheetRow:
    cells = [Cell(note.column, note.text, "other", None, note.unseen) for note in notes]
    return SheetRow(number, cells)


def _columns(drawn: Iterable[Drawn]) -> set[int]:
    return {column for one in drawn for column in (one.column, one.column_end)}


class _Window:
    def __init__(self, rows: Iterator[SheetRow]) -> None:
        self._rows = rows
        self._ahead: deque[SheetRow] = deque()

    def take(self) -> SheetRow | None:
        while len(self._ahead) <= LOOK_AHEAD:
            row = next(self._rows, None)
            if row is None:
                break
            self._ahead.append(row)
        return self._ahead.popleft() if self._ahead else None

    @property
    def ahead(self) -> list[SheetRow]:
        return list(self._ahead)


_BIFF_MAGIC = tuple(bytes((9, version, size, 0)) for version, size in ((0, 4), (2, 6), (4, 6)))
"""Workbooks of Excel 2 to 4, which have no container."""
_ENCRYPTED = "EncryptedPackage"
_XLSX = (".xlsx", ".xlsm", ".xltx", ".xltm")
_XLS = (".xls", ".xlt")
_HEAD_ROWS = 20
_OTHER_MARKS = ("an OpenDocument", "a Word", "a PowerPoint", "an EPUB")


class Workbook(Protocol):
    """An open workbook."""

    facts: WorkbookFacts

    def sheets(self) -> Iterator[SheetData]:
        """Yield the sheets in order; each is read before the next is requested."""

    def close(self) -> None:
        """Close the file."""


class SheetReader:
    """Spreadsheets; the content decides which parser reads a file."""

    name = KIND
    extensions: tuple[str, ...] = (*_XLSX, *_XLS, ".ods")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a workbook of the extension's format, even if encrypted or damaged."""
        if file.head.startswith(OLE_MAGIC):
            if file.extension == ".ods":
                return False
            if file.extension in _XLSX:
                return _ENCRYPTED in file.members
            # A container without any known stream is probably a damaged workbook.
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


def sheet_rows(
    path: Path, number: int, first: int, count: int, /, *, options: ReadOptions = DEFAULT_OPTIONS
) -> list[SheetRow]:
    """Return *count* rows of sheet *number* from row *first*, both 1-based, and those above 20."""
    with ExitStack() as stack:
        sheets = _open(path, options, stack).sheets()
        sheet = next(islice(sheets, number - 1, None), None)
        rows: Iterable[SheetRow] = () if sheet is None else sheet.rows
        shown = (row for row in rows if row.number >= first or row.number <= _HEAD_ROWS)
        return list(islice(shown, count))


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
