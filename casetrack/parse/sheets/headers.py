"""Finds the header of a table in a sheet, and decides how certain it is.

A header is certain where the file declares it, where values (numbers, dates) are below its labels,
or where labels have several labels below them. Labels over text could as well be the first row of
the data: they are a header only at the start of a sheet, and not where two columns look like names
and their values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.tables.header import MAX_LEVELS, are_column_words, find_head, head_signs
from casetrack.extract.tables.model import Cell as TextCell
from casetrack.extract.tables.model import Row, head_names, sort_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.extract.tables.model import Sort
    from casetrack.parse.sheets.model import Area, Cell, SheetRow

LOOK_AHEAD = 12
"""The number of rows read below a candidate."""

_SIMILAR = 0.5


class Header(NamedTuple):
    """The label of each column, and the number of rows that the header takes."""

    labels: dict[int, str]
    rows: int = 1


def labels_of(row: SheetRow, merged: Sequence[Area], /) -> dict[int, str]:
    """Return the label of each column that a row's cells cover, merged columns included."""
    return head_names([_row(row, merged)])


def _row(row: SheetRow, merged: Sequence[Area]) -> Row:
    """Return a row with the spans of merged cells."""
    ends = {a.left: a.right for a in reversed(merged) if a.top <= row.number <= a.bottom}
    cells = [
        TextCell(c.text, c.column, ends.get(c.column, c.column) + 1 - c.column, declared=_sort(c))
        for c in row.cells
    ]
    return Row(tuple(cells))


def _sort(cell: Cell) -> Sort:
    """Return what a cell contains: numbers and dates can also be stored as text."""
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
    beside: bool = False,
) -> Header | None:
    """Return the header that begins in *row*, with rows below it; ``None`` without one.

    Parameters
    ----------
    ahead
        The rows that follow, up to :data:`LOOK_AHEAD`, across gaps.
    merged
        Merged ranges that touch *row* or the rows below it.
    certain
        Whether the header needs values below it, or the style of a header found before.
    known
        Cells of the header found before.
    beside
        Whether the row has other cells, beyond an empty column: two columns of words are then
        rather a form beside a table.
    """
    if len(row.cells) < 2 and not merged:
        return None
    body = _without_gap(row.number, ahead)
    rows = _with_spans([_row(r, merged) for r in (row, *body)], [row, *body])
    head = find_head(rows, guess_from=2)
    if not head.rows or head.titles:
        return None
    if head.rows > 1:
        names = head_names(rows[: head.rows])
        last = [names[cell.column] for cell in rows[head.rows - 1].cells]
        if len(set(last)) == len(last) and _is_followed(names, body[head.rows - 1 :]):
            return Header(names, head.rows)
        flat = Row(tuple(replace(cell, span=1) for cell in rows[0].cells))
        head = find_head([flat, *rows[1:]], guess_from=2)
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
    if beside and len(row.cells) == 2 and not is_named and not _is_set_apart(row.cells, body):
        return None
    return None if _is_pair(row, body, ahead[len(body) :]) else Header(names)


def _with_spans(rows: list[Row], sources: Sequence[SheetRow]) -> list[Row]:
    """Widen cells that are not merged but have several names below them."""
    for at in range(min(MAX_LEVELS, len(rows)) - 1):
        if all(cell.span == 1 for cell in rows[at].cells):
            ends = _open_ends(sources[at], sources[at + 1], sources[at + 2 :])
            if ends is None:
                break
            pairs = zip(rows[at].cells, ends, strict=True)
            rows[at] = Row(tuple(replace(c, span=max(1, e - c.column)) for c, e in pairs))
    return rows


def _open_ends(above: SheetRow, below: SheetRow, rest: Sequence[SheetRow]) -> list[int] | None:
    """Return where the names of a row end that continue over the empty cells to their right.

    The names below them are the same for each, or have the same style, unlike the rows below.
    """
    texts = [c.text for c in below.cells]
    columns = {c.column for c in above.cells}
    gaps = [c for c in below.cells if c.column not in columns and c.column > min(columns)]
    if len(above.cells) < 2 or not gaps:
        return None
    looks = {c.style for c in (*above.cells, *below.cells)}
    apart = None not in looks and looks.isdisjoint(c.style for r in rest for c in r.cells)
    if len(set(texts)) == len(texts) and not apart:
        return None
    ends = [c.column for c in above.cells[1:]] + [below.cells[-1].column + 1]
    under = [
        sum(cell.column <= c.column < end for c in below.cells)
        for cell, end in zip(above.cells, ends, strict=True)
    ]
    return None if 1 in under else ends


def joins_header(
    row: SheetRow, ahead: Sequence[SheetRow], merged: Sequence[Area], known: Sequence[Cell], /
) -> bool:
    """Return whether cells beside a header, beyond an empty column, belong to it.

    Parameters
    ----------
    row, ahead
        The cells, and those below them in the same columns.
    known
        The header beside them.
    """
    own = _row(row, merged)
    if not ahead or any(cell.sort in {"number", "day"} for cell in own.cells):
        return False
    signs = head_signs(own, [_row(r, merged) for r in ahead])
    return "values" in signs or _looks_like(row.cells, known, ahead)


def fits(labels: Mapping[int, str], rows: Iterable[SheetRow], /, *, alone: bool = False) -> bool:
    """Return whether most rows with several cells, or *alone* all, have the columns of labels."""
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
    """Return whether cells have the style, or the very words, of the header before."""
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
    """Return whether two labels are a name and its value.

    The left column has a style of its own, the same in every row, or other rows have more cells.
    """
    if len(row.cells) > 2:
        return False
    if any(len(r.cells) > 2 for r in (*body, *later)):
        return True
    left, right = (
        next((c.style for c in body[0].cells if c.column == cell.column), None)
        for cell in row.cells
    )
    return left == row.cells[0].style and right == row.cells[1].style and left != right
