"""Tables side by side on a sheet: their columns and headers.

Empty columns divide a sheet into bands. The header of each band is detected as if it was alone on
the sheet, so a table keeps its own column names even if it begins below its neighbour.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from casetrack.base.groups import spans_of
from casetrack.extract.tables.header import (
    are_column_words,
    find_head,
    head_signs,
    label_columns,
    pair_texts,
    with_spans,
)
from casetrack.extract.tables.model import Cell as TextCell
from casetrack.extract.tables.model import Row, Sort, head_names, named, sort_of
from casetrack.parse.sheets.model import Area, Cell, SheetRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.parse.base import ParagraphKind

# Finds the header of a table in a sheet, and decides how certain it is. A header is certain if the
# file declares it, if values (numbers, dates) are below its labels, or if labels have several
# labels below them. Labels over text could also be the first row of the data: they are a header
# only at the start of a sheet, and not if two columns look like names and their values.

LOOK_AHEAD = 12
"""The number of rows read below a candidate."""

_SIMILAR = 0.5


class Header(NamedTuple):
    """The label of each column, and the number of header rows."""

    labels: dict[int, str]
    rows: int = 1


def labels_of(row: SheetRow, merged: Sequence[Area], /) -> dict[int, str]:
    """Return the label of each column of a row's cells, including merged columns."""
    return head_names([_row(row, merged)])


def _row(row: SheetRow, merged: Sequence[Area]) -> Row:
    ends = {a.left: a.right for a in reversed(merged) if a.top <= row.number <= a.bottom}
    cells = [
        TextCell(
            c.text,
            c.column,
            ends.get(c.column, c.column) + 1 - c.column,
            declared=_sort(c),
            style=c.style,
        )
        for c in row.cells
    ]
    return Row(tuple(cells))


def _sort(cell: Cell) -> Sort:
    """Return the class of a cell's content: numbers and dates can also be stored as text."""
    if cell.kind == "date":
        return "day"
    sort = sort_of(cell.text)
    if cell.kind == "text" and sort == "number" and any(map(str.isalpha, cell.text)):
        return "words"
    return "number" if cell.kind != "text" and sort != "year" else sort


def find_header(
    row: SheetRow,
    ahead: Sequence[SheetRow],
    merged: Sequence[Area],
    /,
    *,
    certain: bool,
    known: Sequence[Cell] = (),
    shared: bool = False,
) -> Header | None:
    """Return the header that begins in *row*, with rows below it; ``None`` without one.

    *ahead* are the following rows, up to :data:`LOOK_AHEAD`, across gaps; *known* are the cells of
    the last header, whose style or values below it *certain* requires. *shared* means that other
    bands share the row; two columns of words are then more likely a form.
    """
    if len(row.cells) < 2 and not merged:
        return None
    body = _without_gap(row.number, ahead)
    rows = with_spans([_row(r, merged) for r in (row, *body)])
    head = find_head(rows, guess_from=2)
    if not head.rows or head.titles:
        return None
    if head.rows > 1:
        names = head_names(rows[: head.rows])
        last = [names[cell.column] for cell in rows[head.rows - 1].cells]
        if len(set(last)) == len(last) and _is_followed(names, body[head.rows - 1 :]):
            return Header(names, head.rows)
        flat = Row(tuple(replace(cell, span=1) for cell in rows[0].cells))
        head = find_head([flat, *rows[1:]], guess_from=2, levels=1)
    names = labels_of(row, merged)
    distinct = {cell.text.casefold() for cell in row.cells}
    if not head.rows or len(distinct) < 2 or 5 * len(distinct) < 3 * len(row.cells):
        return None
    if not _is_followed(names, body):
        return None
    is_named = are_column_words([c.text for c in row.cells])
    if "values" in head.signs:
        return Header(names)
    if certain and not is_named:
        return Header(names) if _looks_like(row.cells, known, body) else None
    if shared and len(row.cells) == 2 and not is_named and not _is_set_apart(row.cells, body):
        return None
    return None if _is_pair(row, body, ahead[len(body) :]) else Header(names)


def joins_header(
    row: SheetRow, ahead: Sequence[SheetRow], merged: Sequence[Area], known: Sequence[Cell], /
) -> bool:
    """Return whether cells in a neighbouring band belong to a header, with the cells *known*."""
    own = _row(row, merged)
    if not ahead or any(cell.sort in {"number", "day"} for cell in own.cells):
        return False
    signs = head_signs(own, [_row(r, merged) for r in ahead])
    return "values" in signs or _looks_like(row.cells, known, ahead)


def fits(labels: Mapping[int, str], rows: Iterable[SheetRow], /, *, alone: bool = False) -> bool:
    """Return whether most rows with several cells (*alone*: all) have the columns of labels."""
    wide = [r for r in rows if alone or len(r.cells) > 1 or len(labels) < 3]
    good = sum(_share(labels, r) >= _SIMILAR for r in wide)
    return bool(wide) and good * 2 > len(wide)


def _share(labels: Mapping[int, str], row: SheetRow) -> float:
    return sum(c.column in labels for c in row.cells) / len(row.cells)


def _without_gap(number: int, ahead: Sequence[SheetRow]) -> list[SheetRow]:
    body: list[SheetRow] = []
    for row in ahead:
        number += 1
        if row.number != number:
            break
        body.append(row)
    return body


def _is_followed(labels: Mapping[int, str], body: Sequence[SheetRow]) -> bool:
    wide = [r for r in body if len(r.cells) > 1]
    if not wide or not fits(labels, wide) or _share(labels, wide[0]) < _SIMILAR:
        return False
    return max(sum(c.column in labels for c in r.cells) for r in wide) * 4 >= len(labels)


def _looks_like(cells: Sequence[Cell], known: Sequence[Cell], body: Sequence[SheetRow]) -> bool:
    """Return whether cells have the style or the text of the last header."""
    if not known:
        return False
    if [c.text for c in cells] == [c.text for c in known]:
        return True
    return {c.style for c in cells} <= {c.style for c in known} and _is_set_apart(cells, body)


def _is_set_apart(cells: Sequence[Cell], body: Sequence[SheetRow]) -> bool:
    """Return whether cells have a style that the cells below do not have."""
    styles = {c.style for c in cells}
    return None not in styles and styles.isdisjoint(c.style for r in body[:3] for c in r.cells)


def _is_pair(row: SheetRow, body: Sequence[SheetRow], later: Sequence[SheetRow]) -> bool:
    """Return whether two labels are a name and its value."""
    if len(row.cells) > 2:
        return False
    if any(len(r.cells) > 2 for r in (*body, *later)):
        return True
    left, right = (
        next((c.style for c in body[0].cells if c.column == cell.column), None)
        for cell in row.cells
    )
    return left == row.cells[0].style and right == row.cells[1].style and left != right


_SEARCHED_ROWS = 30
"""A header is within this many rows from the start of a block."""


class Window(Protocol):
    """Provides the rows that follow the current row."""

    @property
    def ahead(self) -> list[SheetRow]:
        """The following rows, up to a limit."""


class Written(NamedTuple):
    """The cells of one row in one band, with their labels, and the kind of the row."""

    texts: list[str]
    kind: ParagraphKind
    shown: list[str]  # the same with labels and values of a form joined


class Band:
    """The columns *left* to *right* of one table, and the state of its reading.

    *declared* is the first row with a header that the file declares; above it, none is guessed.
    Labels of bands *before* continue. *is_late* requires a certain header.
    """

    def __init__(
        self,
        left: int,
        right: int,
        /,
        declared: int = 0,
        before: Iterable[Band] = (),
        *,
        is_late: bool = False,
    ) -> None:
        self.left, self.right = left, right
        self._first_declared = declared
        self.labels: dict[int, str] = {}
        self._header: Sequence[Cell] = ()
        self._columns: set[int] = set()
        self._last = self._searched = self._pending = 0
        self._applies = self._after_gap = self._saw_data = self._is_same = False
        self._searching = True
        self._is_late = is_late
        self._form = frozenset[int]()
        for band in before:
            kept = {c: t for c, t in band.labels.items() if left <= c <= right}
            self.labels |= kept
            self._columns.update(c for c in band._columns if left <= c <= right)
            self._header = [*self._header, *band._header] if kept else self._header
            self._pending = max(self._pending, band._pending)
            self._last = max(self._last, band._last)
            self._applies |= band._applies and bool(kept)
            self._saw_data |= band._saw_data
            self._is_same |= band._is_same
            self._searching &= band._searching

    def within(self, row: SheetRow, /) -> SheetRow:
        """Return the part of a row in these columns."""
        if self.left <= row.cells[0].column and row.cells[-1].column <= self.right:
            return row
        return SheetRow(row.number, [c for c in row.cells if self.left <= c.column <= self.right])

    def begin(self, row: SheetRow, window: Window, /) -> None:
        """Register the next row before it is written; a gap above it opens a block."""
        if row.number != self._last + 1 or not self._last:
            self._open_block(row, self._ahead(window.ahead))
        self._last = row.number

    def is_searching(self, row: SheetRow, declared: Sequence[Area], /) -> bool:
        """Return whether a header may begin in the current row."""
        if self._pending or self._repeats(row) or self._own(declared) or self._form:
            return False
        return self._searching

    def header(
        self, row: SheetRow, window: Window, merged: Sequence[Area], /, *, shared: bool
    ) -> Header | None:
        """Return the header that begins in the row; *shared*: other bands share the row."""
        return find_header(
            row,
            self._ahead(window.ahead),
            merged,
            certain=self.needs_certainty or row.number < self._first_declared,
            known=self._header,
            shared=shared,
        )

    @property
    def needs_certainty(self) -> bool:
        """Whether rows above could continue in a row without a clear header sign."""
        return self._saw_data or self._is_same or self._is_late

    def extends_header(
        self, other: Band, row: SheetRow, window: Window, merged: Sequence[Area], /
    ) -> bool:
        """Return whether a row belongs to the header of the neighbouring band."""
        return joins_header(row, self._ahead(window.ahead), merged, other._header)

    def take(self, header: Header, row: SheetRow, /) -> None:
        """Store the labels of a header in these columns."""
        inside = {c: t for c, t in header.labels.items() if self.left <= c <= self.right}
        self.labels, self._header, self._columns = inside, row.cells, set(inside)
        self._searching, self._applies, self._after_gap = False, True, False
        self._pending = header.rows

    def write(
        self, row: SheetRow, merged: Sequence[Area], declared: Sequence[Area], /, *, is_alone: bool
    ) -> Written:
        """Write the part of a row, and update the state of the table."""
        if self._pending or self._repeats(row):
            self._pending = max(self._pending - 1, 0)
            return self._written(row, {}, "heading")
        own = self._own(declared)
        if own and (written := self._declared_header(row, own, merged)):
            return written
        if self._searching:
            self._continue_search(row)
        return self._data(row, merged, is_alone=is_alone)

    def _own(self, areas: Iterable[Area]) -> list[Area]:
        return [a for a in areas if self.left <= a.left <= self.right]

    def _repeats(self, row: SheetRow) -> bool:
        """Return whether a row repeats the header, as on every printed page."""
        labels = self.labels
        return all(labels.get(cell.column) == cell.text for cell in row.cells) and len(
            row.cells
        ) == len({*labels.values()})

    def _ahead(self, rows: Sequence[SheetRow]) -> list[SheetRow]:
        return [part for part in map(self.within, rows) if part.cells]

    def _open_block(self, row: SheetRow, ahead: Sequence[SheetRow]) -> None:
        """Begin a block of rows without a gap, which may have a separate header."""
        self._searching, self._searched, self._pending = True, 0, 0
        self._after_gap = bool(self.labels)
        block = [row]
        for follower in ahead:
            if follower.number != block[-1].number + 1:
                break
            block.append(follower)
        if self.labels:
            self._applies = fits(self.labels, block)
        self._saw_data, self._is_same = False, self._continues_columns(block)
        is_table = self._applies or row.number <= self._first_declared
        self._form = frozenset() if is_table else label_columns([_row(r, ()) for r in block])

    def _continues_columns(self, block: Sequence[SheetRow]) -> bool:
        """Return whether a block fills exactly the columns of the rows above it."""
        shapes = [frozenset(c.column for c in r.cells) for r in block if len(r.cells) > 1]
        if not shapes or not self._columns or not frozenset.union(*shapes) <= self._columns:
            return False
        return len(shapes) < 3 or len(set(shapes)) > 1 or shapes[0] == self._columns

    def _continue_search(self, row: SheetRow) -> None:
        self._searched += 1
        if len(row.cells) > 1:
            # Below a first header, only titles may be between a gap and the next header.
            self._saw_data = True
            self._searching = not (self.labels and self._applies)
        self._searching &= self._searched < _SEARCHED_ROWS

    def _declared_header(
        self, row: SheetRow, areas: Sequence[Area], merged: Sequence[Area]
    ) -> Written | None:
        """Store the headers that the file declares; ``None`` if the row has none of them."""
        columns = {c for a in areas for c in range(a.left, a.right + 1)}
        named = {c: t for c, t in labels_of(row, merged).items() if c in columns}
        if not named:
            return None
        alone = all(cell.column in columns for cell in row.cells)
        self.labels = named if alone else {**self.labels, **named}
        self._applies, self._after_gap, self._searching = True, False, False
        if alone:
            self._header = row.cells
            return self._written(row, {}, "heading")
        inside = dict.fromkeys(named, "")
        return self._written(row, {**self.labels, **inside}, "table")

    def _data(self, row: SheetRow, merged: Sequence[Area], *, is_alone: bool) -> Written:
        alone = len(row.cells) == 1 and row.cells[0].kind == "text"
        is_alone &= alone
        first = row.cells[0]
        wide = alone and any(
            a.left == first.column and a.right > a.left and a.top <= row.number for a in merged
        )
        if not alone:
            self._columns.update(c.column for c in row.cells)
        labelled = self._applies and not wide and not (is_alone and self._after_gap)
        kind: ParagraphKind = "table" if labelled or not alone else "body"
        return self._written(row, self.labels if labelled else {}, kind)

    def _written(self, row: SheetRow, labels: dict[int, str], kind: ParagraphKind) -> Written:
        texts = [named(cell.text, labels.get(cell.column, "")) for cell in row.cells]
        form = self._form if kind == "table" and not labels else ()
        return Written(texts, kind, pair_texts(texts, [c.column for c in row.cells], form))


def bands_of(
    row: SheetRow, ahead: Sequence[SheetRow], known: Sequence[Band], declared: int, /
) -> list[Band]:
    """Divide the columns of a block of rows into bands, which continue the *known* ones."""
    block = [row]
    for follower in ahead:
        if follower.number != block[-1].number + 1:
            break
        block.append(follower)
    tops: dict[int, int] = {}
    for part in block:
        for cell in part.cells:
            tops.setdefault(cell.column, part.number)
    for band in known:
        own = [r for r in map(band.within, block) if r.cells]
        if band.labels and own and fits(band.labels, own, alone=True):
            # A column of a known table may be empty for a while.
            for column in range(min(band.labels), max(band.labels) + 1):
                tops.setdefault(column, own[0].number)
    runs = _joined(spans_of(sorted(tops)), tops)
    is_late = any(band._columns for band in known) and not any(b.labels for b in known)
    bands = []
    for left, right in runs:
        before = [b for b in known if b.left <= right and b.right >= left]
        bands.append(Band(left, right, declared, before, is_late=is_late))
    return bands


def _joined(runs: Sequence[tuple[int, int]], tops: dict[int, int]) -> list[tuple[int, int]]:
    """Join a single column to the adjacent table that begins in the same row."""
    out: list[tuple[int, int]] = []
    for run in runs:
        if out and 1 in {_width(run), _width(out[-1])} and _top(run, tops) == _top(out[-1], tops):
            out[-1] = (out[-1][0], run[1])
        else:
            out.append(run)
    return out


def _width(run: tuple[int, int]) -> int:
    return run[1] - run[0] + 1


def _top(run: tuple[int, int], tops: dict[int, int]) -> int:
    return min(tops[c] for c in range(run[0], run[1] + 1) if c in tops)
