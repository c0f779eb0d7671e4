"""Finds the header row of a table in a sheet, and says how sure that is.

A header is a row of at least two short labels, followed by rows that fill similar columns. It is
certain where the file says so, or where values (numbers, dates) stand under labels. Labels over
nothing but text could as well be the first row of the data; that is believed only at the start of
a sheet, and not where two columns look like names and their values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.readers.sheets.model import Area, Cell, SheetRow

LOOK_AHEAD = 12
"""Rows below a candidate that are looked at."""

_LABEL_CHARS, _PLAIN_LABEL_CHARS = 120, 60
_SIMILAR = 0.6
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s?[/–-]\s?\d{2,4})?")
_NUMERIC = re.compile(r"[^\w\s]{0,2}\d[\d.,\s]*[^\w\s]?")


class Header(NamedTuple):
    """A header that was found: the label of each column, and how many rows it takes."""

    labels: dict[int, str]
    rows: int = 1


def labels_of(row: SheetRow, merged: Sequence[Area], /) -> dict[int, str]:
    """Return the label of each column that a row's cells cover, merged columns included."""
    labels = {}
    for cell in row.cells:
        for column in range(cell.column, _right_end(cell, row, merged) + 1):
            labels[column] = cell.text
    return labels


def _right_end(cell: Cell, row: SheetRow, merged: Sequence[Area]) -> int:
    for area in merged:
        if area.left == cell.column and area.top <= row.number <= area.bottom:
            return area.right
    return cell.column


def find_header(
    row: SheetRow,
    ahead: Sequence[SheetRow],
    merged: Sequence[Area],
    /,
    *,
    certain: bool,
    known: Sequence[Cell] = (),
) -> Header | None:
    """Tell whether *row* is a header, alone or with the row below it.

    Parameters
    ----------
    ahead
        The rows that follow, up to :data:`LOOK_AHEAD`, across gaps.
    merged
        Merged ranges that touch *row*.
    certain
        Ask for values under the labels, or for the looks of a header found before.
    known
        Cells of the header found before.
    """
    if len(row.cells) < 2 and not merged:
        return None
    body = _without_gap(row.number, ahead)
    pair = _pair(row, body, merged)
    if pair is not None:
        return pair
    if len(row.cells) < 2:
        return None
    labels = labels_of(row, merged)
    if not _are_labels(row.cells) or not _is_followed(labels, body):
        return None
    if _stands_over_values(row.cells, labels, body):
        return Header(labels)
    if certain:
        return Header(labels) if _looks_like(row.cells, known, body) else None
    return Header(labels) if _could_be(row, body, ahead[len(body) :]) else None


def fits(labels: Mapping[int, str], rows: Iterable[SheetRow], /) -> bool:
    """Tell whether most rows with several cells keep to the columns of *labels*."""
    wide = [r for r in rows if len(r.cells) > 1]
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


def _is_year(cell: Cell) -> bool:
    return cell.kind == "number" and _YEAR.fullmatch(cell.text) is not None


def _is_value(cell: Cell) -> bool:
    """Tell a number or date, also one that is stored as text."""
    return cell.kind != "text" or (
        _NUMERIC.fullmatch(cell.text) is not None and not _YEAR.fullmatch(cell.text)
    )


def _are_labels(cells: Sequence[Cell]) -> bool:
    """Tell labels: short, distinct, mostly text; years and dates may stand among them."""
    texts = [c for c in cells if not _is_value(c)]
    others = [c for c in cells if _is_value(c) and not _is_year(c) and c.kind != "date"]
    if not texts or len(others) * 5 > len(cells):
        return False
    if any(len(c.text) > _LABEL_CHARS for c in cells):
        return False
    if 5 * sum(c.text.endswith(":") for c in cells) > len(cells):
        return False
    distinct = {c.text.casefold() for c in cells}
    return len(distinct) >= 2 and len(distinct) * 5 >= len(cells) * 3


def _is_followed(labels: Mapping[int, str], body: Sequence[SheetRow]) -> bool:
    wide = [r for r in body if len(r.cells) > 1]
    if not wide or not fits(labels, wide) or _share(labels, wide[0]) < _SIMILAR:
        return False
    return max(sum(c.column in labels for c in r.cells) for r in wide) * 4 >= len(labels)


def _stands_over_values(
    cells: Sequence[Cell], labels: Mapping[int, str], body: Sequence[SheetRow]
) -> bool:
    """Tell whether some label stands over values of another sort than itself."""
    heads = {c.column: c for c in cells}
    below: dict[int, list[Cell]] = {}
    for row in body:
        for cell in row.cells:
            below.setdefault(cell.column, []).append(cell)
    over = 0
    for column in labels:
        found, head = below.get(column, []), heads.get(column)
        same = [c for c in found if head and _same_sort(head, c)]
        values = [c for c in found if _is_value(c) and c not in same]
        if head is not None and _is_value(head) and 2 * len(same) > len(found):
            # Values like the head itself: a row of data.
            return False
        over += bool(values) and 2 * len(values) > len(found)
    return over > 0 and not _is_pair_list(cells, body)


def _same_sort(head: Cell, cell: Cell) -> bool:
    if _is_year(head):
        return _is_year(cell)
    return _is_value(head) and head.kind == cell.kind


def _is_pair_list(cells: Sequence[Cell], body: Sequence[SheetRow]) -> bool:
    """Tell names with their values, one pair a row: the second column mixes text and values."""
    if len(cells) != 2 or any(len(r.cells) > 2 for r in body):
        return False
    second = [c for r in body for c in r.cells if c.column == cells[1].column]
    texts = sum(not _is_value(c) for c in second)
    same_look = cells[0].style == _style(body[:1], cells[0].column)
    return same_look and texts > 0 and texts * 4 >= len(second)


def _style(rows: Sequence[SheetRow], column: int) -> int | str | None:
    return next((c.style for r in rows for c in r.cells if c.column == column), None)


def _looks_like(cells: Sequence[Cell], known: Sequence[Cell], body: Sequence[SheetRow]) -> bool:
    """Tell the style, or the very words, of the header before."""
    if not known:
        return False
    if [c.text for c in cells] == [c.text for c in known]:
        return True
    styles = {c.style for c in known}
    below = {c.style for r in body[:3] for c in r.cells}
    return {c.style for c in cells} <= styles and None not in styles and not styles & below


def _could_be(row: SheetRow, body: Sequence[SheetRow], later: Sequence[SheetRow]) -> bool:
    """Tell whether labels over text are likely enough a header."""
    cells = row.cells
    if any(_is_value(c) or len(c.text) > _PLAIN_LABEL_CHARS for c in cells):
        return False
    if len({c.text.casefold() for c in cells}) < len(cells):
        return False
    if len(cells) > 2:
        return True
    if any(len(r.cells) > 2 for r in (*body, *later)):
        return False
    # Names and values: the left column has a look of its own, the same in every row.
    left, right = (_style(body[:1], c.column) for c in cells)
    return not (left == cells[0].style and right == cells[1].style and left != right)


def _pair(row: SheetRow, body: Sequence[SheetRow], merged: Sequence[Area]) -> Header | None:
    """Return the header that *row* as a row of groups makes with the row below it."""
    if not body:
        return None
    below = body[0]
    columns = {c.column for c in below.cells}
    groups = labels_of(row, merged)
    wide = [
        a
        for a in merged
        if a.top == a.bottom == row.number
        and a.right > a.left
        and len(columns.intersection(range(a.left, a.right + 1))) > 1
    ]
    if not wide or any(columns <= set(range(a.left, a.right + 1)) for a in wide):
        return None
    inner = {c.column: c for c in below.cells}
    labels = {
        column: _join(groups.get(column), inner.get(column))
        for column in sorted(groups.keys() | inner.keys())
    }
    combined = [c._replace(text=labels[c.column]) for c in below.cells]
    is_header = (
        not any(_is_value(c) and not _is_year(c) for c in below.cells)
        and len(set(labels.values())) == len(labels)
        and _are_labels([*combined, *row.cells])
        and _is_followed(labels, body[1:])
        and _stands_over_values(below.cells, {c: inner[c].text for c in inner}, body[1:])
    )
    return Header(labels, 2) if is_header else None


def _join(group: str | None, cell: Cell | None) -> str:
    if cell is None:
        return group or ""
    return cell.text if not group or group == cell.text else f"{group} / {cell.text}"
