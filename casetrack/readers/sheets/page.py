"""Makes the page of a sheet: each row a line ``Header: value | Header: value``.

Unlike in other formats, paragraphs are joined by one newline, not by an empty line: every row is
a line and a paragraph of its own, and an empty line would cost room between all of them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from casetrack.readers.base import Line, Page, Paragraph
from casetrack.readers.page_builder import clean_text
from casetrack.readers.sheets.headers import LOOK_AHEAD, find_header, fits, labels_of
from casetrack.readers.sheets.model import Cell, SheetRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.readers.base import ParagraphKind
    from casetrack.readers.sheets.model import Area, Drawn, SheetData

_SEARCHED_ROWS = 30
"""A header stands within this many rows from the start of a block."""
_SEPARATOR = " | "
_MAX_LABEL_CHARS = 200
"""A longer header stands on its own line alone, not again before each value."""
MAX_SHEET_CHARS = 100_000_000
"""No sheet may show more: a short file can name one long text a million times."""


class SheetTooLarge(Exception):
    """A sheet shows more text than any person wrote."""


def sheet_page(number: int, sheet: SheetData, /) -> Page:
    """Return the page of a sheet; one without any text has the method ``Skipped``.

    Raises
    ------
    SheetTooLarge
        It shows more than :data:`MAX_SHEET_CHARS` characters.
    """
    return _Layout(number, sheet).build()


class _Merged:
    """Gives the merged ranges that touch a row, for rows that mostly ascend."""

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


class _Layout:
    """Goes through the rows once, with a look ahead, and writes lines."""

    def __init__(self, number: int, sheet: SheetData) -> None:
        self._number, self._sheet = number, sheet
        self._merged = _Merged(sheet.merged)
        self._notes = dict(sheet.notes)
        self._declared: dict[int, list[Area]] = {}
        for area in sheet.headers:
            self._declared.setdefault(area.top, []).append(area)
        self._first_declared = min(self._declared, default=0)
        self._labels: dict[int, str] = {}
        self._header: Sequence[Cell] = ()
        self._applies = False
        self._searched = 0
        self._searching = True
        self._saw_data = False
        self._after_gap = False
        self._texts: list[str] = []
        self._length = 0
        self._lines: list[Line] = []
        self._paragraphs: list[Paragraph] = []

    def build(self) -> Page:
        rows = _Window(self._with_notes(self._visible(self._sheet.rows)))
        last = 0
        while (row := rows.take()) is not None:
            if self._length + sum(len(c.text) for c in row.cells) > MAX_SHEET_CHARS:
                raise SheetTooLarge(
                    f'the sheet "{self._sheet.name}" shows more than '
                    f"{MAX_SHEET_CHARS // 1_000_000} million characters"
                )
            if row.number != last + 1 or not last:
                self._open_block(row, rows)
            last = row.number
            second = self._row(row, rows)
            if second is not None:
                last = second.number
        for drawn in self._sheet.drawn:
            self._write_drawn(drawn)
        return Page(
            number=self._number,
            text="\n".join(self._texts),
            lines=tuple(self._lines),
            paragraphs=tuple(self._paragraphs),
            method="Spreadsheet" if self._lines else "Skipped",
            sheet_name=clean_text(self._sheet.name).strip() or "?",
        )

    def _visible(self, rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
        """Leave out cells that a merged range covers: a sheet shows only its first cell."""
        if not self._sheet.merged:
            yield from rows
            return
        merged = _Merged(self._sheet.merged)
        for row in rows:
            areas = merged.at(row.number)
            if not areas:
                yield row
                continue
            covered = {
                column
                for a in areas
                for column in range(a.left + (a.top == row.number), a.right + 1)
            }
            cells = [c for c in row.cells if c.column not in covered]
            if cells:
                yield row._replace(cells=cells)

    def _with_notes(self, rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
        """Give comments on rows that show nothing a row of their own; others go behind theirs."""
        waiting = sorted(self._sheet.notes)
        at = 0
        for row in rows:
            while at < len(waiting) and waiting[at] < row.number:
                yield self._note_row(waiting[at])
                at += 1
            if at < len(waiting) and waiting[at] == row.number:
                at += 1
            yield row
        for number in waiting[at:]:
            yield self._note_row(number)

    def _note_row(self, number: int) -> SheetRow:
        notes = self._notes.pop(number)
        return SheetRow(number, [Cell(note.column, note.text, "other") for note in notes])

    def _open_block(self, row: SheetRow, rows: _Window) -> None:
        """Begin a block of rows without a gap, which may have a header of its own."""
        self._searching, self._searched = True, 0
        self._after_gap = bool(self._labels)
        head = [row]
        for follower in rows.ahead:
            if follower.number != head[-1].number + 1:
                break
            head.append(follower)
        if self._labels:
            self._applies = fits(self._labels, head)

    def _row(self, row: SheetRow, rows: _Window) -> SheetRow | None:
        """Write a row; returns the second row of a header that takes two."""
        merged = self._merged.at(row.number)
        declared = self._declared.get(row.number)
        if declared and self._declared_header(row, declared, merged):
            return None
        if self._searching:
            certain = bool(self._labels) or self._saw_data or row.number < self._first_declared
            found = find_header(row, rows.ahead, merged, certain=certain, known=self._header)
            if found is not None:
                self._labels, self._header = found.labels, row.cells
                self._searching, self._applies, self._after_gap = False, True, False
                self._write_header(row)
                second = rows.take() if found.rows == 2 else None
                if second is not None:
                    self._write_header(second)
                return second
            self._go_on_searching(row)
        self._write_data(row, merged)
        return None

    def _go_on_searching(self, row: SheetRow) -> None:
        self._searched += 1
        if len(row.cells) > 1:
            # Below a first header, only titles may stand between a gap and the next header.
            self._saw_data = True
            self._searching = not self._labels
        self._searching &= self._searched < _SEARCHED_ROWS

    def _declared_header(
        self, row: SheetRow, areas: Sequence[Area], merged: Sequence[Area]
    ) -> bool:
        """Take the headers that the file declares; tell whether the row holds nothing else."""
        columns = {c for a in areas for c in range(a.left, a.right + 1)}
        named = {c: t for c, t in labels_of(row, merged).items() if c in columns}
        if not named:
            return False
        alone = all(cell.column in columns for cell in row.cells)
        self._labels = named if alone else {**self._labels, **named}
        self._applies, self._after_gap, self._searching = True, False, False
        if alone:
            self._header = row.cells
            self._write_header(row)
            return True
        inside = dict.fromkeys(named, "")
        self._write(row, _text(row, {**self._labels, **inside}), "table")
        return True

    def _write_header(self, row: SheetRow) -> None:
        self._write(row, _text(row, {}), "heading", 1)

    def _write_data(self, row: SheetRow, merged: Sequence[Area]) -> None:
        alone = len(row.cells) == 1 and row.cells[0].kind == "text"
        first = row.cells[0]
        wide = alone and any(
            a.left == first.column and a.right > a.left and a.top <= row.number for a in merged
        )
        labelled = self._applies and not wide and not (alone and self._after_gap)
        kind: ParagraphKind = "table" if labelled or not alone else "body"
        self._write(row, _text(row, self._labels if labelled else {}), kind)

    def _write_drawn(self, drawn: Drawn) -> None:
        """Write what lies over the cells, behind all rows: between them it would part a table."""
        for block in drawn.blocks:
            first = self._length + bool(self._texts)
            for line in filter(None, (clean_text(line).strip() for line in block.lines)):
                start = self._length + bool(self._texts)
                self._texts.append(line)
                self._length = start + len(line)
                number = self._lines[-1].number + 1 if self._lines else drawn.row
                place = drawn.row, drawn.column, drawn.column_end
                self._lines.append(Line(start, self._length, number, None, *place))
            if self._length > first:
                number = len(self._paragraphs) + 1
                self._paragraphs.append(Paragraph(first, self._length, number, block.kind))

    def _write(
        self, row: SheetRow, text: str, kind: ParagraphKind, level: int | None = None
    ) -> None:
        notes = self._notes.pop(row.number, ())
        text = _SEPARATOR.join((text, *(note.text for note in notes)))
        columns = [cell.column for cell in (*row.cells, *notes)]
        start = self._length + bool(self._texts)
        self._texts.append(text)
        self._length = end = start + len(text)
        self._lines.append(
            Line(
                start,
                end,
                row.number,
                row=row.number,
                column_start=min(columns),
                column_end=max(columns),
            )
        )
        self._paragraphs.append(Paragraph(start, end, len(self._paragraphs) + 1, kind, level))


class _Window:
    """Hands out rows with a look at those that follow."""

    def __init__(self, rows: Iterator[SheetRow]) -> None:
        self._rows = rows
        self._ahead: deque[SheetRow] = deque()

    def take(self) -> SheetRow | None:
        """Return the next row, ``None`` at the end."""
        while len(self._ahead) <= LOOK_AHEAD:
            row = next(self._rows, None)
            if row is None:
                break
            self._ahead.append(row)
        return self._ahead.popleft() if self._ahead else None

    @property
    def ahead(self) -> list[SheetRow]:
        """The rows after the one handed out last."""
        return list(self._ahead)


def _text(row: SheetRow, labels: dict[int, str]) -> str:
    parts = []
    for cell in row.cells:
        label = labels.get(cell.column)
        fits_in = label and len(label) <= _MAX_LABEL_CHARS
        parts.append(f"{label}: {cell.text}" if fits_in else cell.text)
    return _SEPARATOR.join(parts)
