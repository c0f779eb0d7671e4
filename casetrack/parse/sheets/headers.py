"""Finds the header row of a table in a sheet, and says how sure that is.

A header is a row of at least two short labels, followed by rows that fill similar columns. It is
certain where the file says so, or where values (numbers, dates) stand under labels. Labels over
nothing but text could as well be the first row of the data; that is believed only at the start of
a sheet, and not where two columns look like names and their values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.parse.table_head import are_column_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.parse.sheets.model import Area, Cell, SheetRow

LOOK_AHEAD = 12
"""Rows below a candidate that are looked at."""

MAX_LEVELS = 4
"""A header takes no more rows than these."""

_LABEL_CHARS, _PLAIN_LABEL_CHARS = 120, 60
_SIMILAR = 0.5
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
    beside: bool = False,
) -> Header | None:
    """Tell whether *row* is a header, alone or with rows below it.

    Parameters
    ----------
    ahead
        The rows that follow, up to :data:`LOOK_AHEAD`, across gaps.
    merged
        Merged ranges that touch *row* or the rows below it.
    certain
        Ask for values under the labels, or for the looks of a header found before.
    known
        Cells of the header found before.
    beside
        Whether other cells stand in the row, beyond an empty column: two columns of words are
        then rather a form beside a table.
    """
    if len(row.cells) < 2 and not merged:
        return None
    body = _without_gap(row.number, ahead)
    levels = _levels(row, body, merged)
    if levels is not None:
        return levels
    if len(row.cells) < 2:
        return None
    labels = labels_of(row, merged)
    if not _are_labels(row.cells) or not _is_followed(labels, body):
        return None
    if _stands_over_values(row.cells, labels, body):
        return Header(labels)
    is_named = are_column_words([c.text for c in row.cells])
    if certain and not is_named:
        return Header(labels) if _looks_like(row.cells, known, body) else None
    if beside and len(row.cells) == 2 and not is_named and not _is_set_apart(row.cells, body):
        return None
    return Header(labels) if _could_be(row, body, ahead[len(body) :]) else None


def joins_header(
    row: SheetRow, ahead: Sequence[SheetRow], merged: Sequence[Area], known: Sequence[Cell], /
) -> bool:
    """Tell whether cells beside a header, beyond an empty column, belong to it.

    Parameters
    ----------
    row, ahead
        The cells, and those below them in the same columns.
    known
        The header beside them.
    """
    if not ahead or any(_is_value(c) and not _is_year(c) for c in row.cells):
        return False
    labels = labels_of(row, merged)
    return _stands_over_values(row.cells, labels, ahead) or _looks_like(row.cells, known, ahead)


def fits(labels: Mapping[int, str], rows: Iterable[SheetRow], /, *, alone: bool = False) -> bool:
    """Tell whether most rows with several cells, or *alone* all, keep to the columns of labels."""
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
    return {c.style for c in cells} <= {c.style for c in known} and _is_set_apart(cells, body)


def _is_set_apart(cells: Sequence[Cell], body: Sequence[SheetRow]) -> bool:
    """Tell whether cells have a look that those below have not."""
    styles = {c.style for c in cells}
    return None not in styles and styles.isdisjoint(c.style for r in body[:3] for c in r.cells)


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


def _levels(row: SheetRow, body: Sequence[SheetRow], merged: Sequence[Area]) -> Header | None:
    """Return the header that *row* makes with the rows below it: names over several names."""
    rows = [row]
    names = labels_of(row, merged)
    while len(rows) < MAX_LEVELS and len(body) > len(rows):
        below, rest = body[len(rows) - 1], body[len(rows) :]
        wide = _wide_names(rows[-1], below, rest, merged)
        if wide is None:
            wide = _open_names(rows[-1], below, rest)
        if wide is None:
            break
        names = _below(names | wide if len(rows) == 1 else names, labels_of(below, merged))
        rows.append(below)
    if len(rows) == 1 or not _is_followed(names, body[len(rows) - 1 :]):
        return None
    last = rows[-1]
    distinct = len({(names[c.column]) for c in last.cells}) == len(last.cells)
    return Header(names, len(rows)) if distinct else None


def _below(names: Mapping[int, str], labels: Mapping[int, str]) -> dict[int, str]:
    """Join the names of a level to those above it."""
    joined = dict(names)
    for column, text in labels.items():
        above = names.get(column, text)
        joined[column] = text if above == text else f"{above} / {text}"
    return joined


def _wide_names(
    above: SheetRow, below: SheetRow, rest: Sequence[SheetRow], merged: Sequence[Area]
) -> dict[int, str] | None:
    """Return the names of merged cells that have several names under them, nothing else under."""
    if not _may_be_level(below):
        return None
    areas = [a for a in merged if a.top == a.bottom == above.number and a.right > a.left]
    under = [[c.column for c in below.cells if a.left <= c.column <= a.right] for a in areas]
    if not any(len(columns) > 1 for columns in under):
        return None
    if len(above.cells) == 1:
        inside = set(range(areas[0].left, areas[0].right + 1))
        columns = {c.column for r in rest for c in r.cells}
        if columns <= inside or not inside.issuperset(c.column for c in below.cells):
            # The title of the table.
            return None
    held = {column for columns in under for column in columns}
    named = {c.column for c in above.cells}
    if any(c.column in named - held for c in below.cells):
        # Names that go on in the row below; a row of data, unless values stand below it.
        labels = {c.column: c.text for c in below.cells}
        return {} if rest and _stands_over_values(below.cells, labels, rest) else None
    return {}


def _open_names(
    above: SheetRow, below: SheetRow, rest: Sequence[SheetRow]
) -> dict[int, str] | None:
    """Return the names of cells that are not merged but stand over several columns.

    The names under them are the same for each, or they have the same look, unlike the rows below.
    """
    texts = [c.text for c in below.cells]
    columns = {c.column for c in above.cells}
    gaps = [c for c in below.cells if c.column not in columns and c.column > min(columns)]
    if len(above.cells) < 2 or not gaps or not (_may_be_level(above) and _may_be_level(below)):
        return None
    looks = {c.style for c in (*above.cells, *below.cells)}
    apart = None not in looks and looks.isdisjoint(c.style for r in rest for c in r.cells)
    if len(set(texts)) == len(texts) and not apart:
        return None
    names: dict[int, str] = {}
    ends = [c.column for c in above.cells[1:]] + [below.cells[-1].column + 1]
    for cell, end in zip(above.cells, ends, strict=True):
        under = [c.column for c in below.cells if cell.column <= c.column < end]
        if len(under) == 1:
            return None
        names |= dict.fromkeys(under, cell.text)
    return names


def _may_be_level(row: SheetRow) -> bool:
    """Tell a row of short names, also years, from values and from labels of what is beside them."""
    return not any(
        (_is_value(c) and not _is_year(c)) or len(c.text) > _LABEL_CHARS or c.text.endswith(":")
        for c in row.cells
    )
