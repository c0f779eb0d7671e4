"""Distinguishes rows of cells from similar text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median_high

from casetrack.base.groups import in_runs
from casetrack.extract.tables.model import is_value, sort_of
from casetrack.parse.layout.tables_model import Cell, TableRow

_SIGNATURE = re.compile(
    r"_{3,}|(?:by|name|title|its|date|signature|address|attn|attention|tel|fax|e-?mail)\s*:",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){4,}|\u2026{2,}")
_CODE = re.compile(r"[{};=]|\(\)|//|->|::")
_MARKER = re.compile(
    r"[(\[]?(?:[a-z]{1,3}|[A-Z]|[ivxIVX]{1,5}|\d{1,3})[.)\]]|[\u2022\u25cf\u25aa\u2013*\uf0b7-]"
)
_PAGE = re.compile(r"[(\[]?(\d{1,4})[)\]]?")
_ALIGNED = 0.6
_PROSE_FILL = 0.8


def is_tabular(
    rows: Sequence[TableRow], width: int, /, *, is_banded: bool, is_wrapped: bool = False
) -> bool:
    """Return whether *rows* (without header) are a table; *is_banded* lowers the evidence.

    *is_wrapped* means that lines are drawn between all rows, whose cells may have several lines.
    """
    several = [row for row in rows if len(row.cells) > 1]
    if len(several) < (2 if is_banded else 3) or not 2 <= width <= 40:
        return False
    cells = [cell for row in rows for cell in row.cells]
    texts = [cell.text for cell in cells]
    if _looks_like_form(texts) or sum(c.span > 1 for c in cells) > 0.2 * len(cells):
        return False
    columns = [[c for c in cells if c.column == i and c.span == 1] for i in range(width)]
    if not all(map(_is_aligned, columns[1:])):
        return False
    if sum(map(len, columns)) < (0.4 if is_banded else 0.5) * len(several) * width:
        return False
    if _is_contents(columns) or _is_list(columns):
        return False
    if is_wrapped:
        return width > 2 and len(several) > 2 and 4 * len(several) >= 3 * len(rows)
    values = [i for i, column in enumerate(columns) if _has_values(column)]
    if any(i > 0 for i in values) or (values and width > 2):
        return _are_short(columns[1:], 60)
    if width == 2 and not is_banded:
        return False
    return _are_words(columns, several, is_banded=is_banded)


def _looks_like_form(texts: Sequence[str]) -> bool:
    count = len(texts)
    labels = sum(1 for text in texts if text.endswith(":"))
    signatures = sum(1 for text in texts if _SIGNATURE.search(text))
    code = sum(1 for text in texts if _CODE.search(text))
    leaders = sum(1 for text in texts if _LEADERS.search(text))
    values = sum(1 for text in texts if is_value(text))
    # Leaders also lead to amounts, but then a row has several amounts.
    return (
        4 * labels >= count
        or 5 * signatures >= count
        or 4 * code >= count
        or (3 * leaders >= count and 2 * values <= 1.2 * count)
    )


def _is_aligned(column: Sequence[Cell]) -> bool:
    """Return whether most cells have a common left edge, right edge or centre."""
    if len(column) < 3:
        return True
    near = 0.5 * column[0].segments[0].size
    sides = (
        sorted(c.u0 for c in column),
        sorted(c.u1 for c in column),
        sorted((c.u0 + c.u1) / 2 for c in column),
    )
    return max(_most_near(side, near) for side in sides) >= _ALIGNED * len(column)


def _most_near(places: Sequence[float], near: float) -> int:
    best = first = 0
    for last, place in enumerate(places):
        while place - places[first] > 2 * near:
            first += 1
        best = max(best, last - first + 1)
    return best


def _has_values(column: Sequence[Cell]) -> bool:
    texts = [cell.text for cell in column]
    values = [text for text in texts if is_value(text)]
    if len(values) < 2 or len(values) < 0.6 * len(texts):
        return False
    return not _counts_up(texts)


def _counts_up(texts: Sequence[str]) -> bool:
    """Return whether the texts are numbers of lines or items: each one more than the last."""
    numbers = [int(m[1]) for text in texts if (m := _PAGE.fullmatch(text.rstrip(".")))]
    if len(numbers) < 0.8 * len(texts):
        return False
    steps = sum(1 for a, b in pairwise(numbers) if b - a == 1)
    return steps >= 0.7 * (len(numbers) - 1)


def _is_contents(columns: Sequence[Sequence[Cell]]) -> bool:
    """Return whether rows are words with page numbers: whole numbers that never fall."""
    last = columns[-1]
    numbers = [int(m[1]) for cell in last if (m := _PAGE.fullmatch(cell.text))]
    if len(numbers) < 0.8 * len(last) or all(sort_of(str(n)) == "year" for n in numbers):
        return False
    # Section numbers may precede the words; other values indicate a table.
    if len(columns) > 3 or all(map(_is_mostly_values, columns[:-1])):
        return False
    rising = sum(1 for a, b in pairwise(numbers) if b >= a)
    return len(numbers) > 1 and rising >= 0.9 * (len(numbers) - 1)


def _is_mostly_values(column: Sequence[Cell]) -> bool:
    return 2 * sum(1 for cell in column if is_value(cell.text)) > len(column)


def _is_list(columns: Sequence[Sequence[Cell]]) -> bool:
    """Return whether rows are list items: bullets or numbers, then text."""
    if len(columns) > 3 or not columns[0]:
        return False
    marked = sum(1 for cell in columns[0] if _MARKER.fullmatch(cell.text))
    words = not any(_has_values(column) for column in columns[1:])
    return words and marked >= 0.5 * len(columns[0])


def _are_short(columns: Sequence[Sequence[Cell]], limit: int) -> bool:
    return all(median_high([len(c.text) for c in column]) <= limit for column in columns if column)


def _are_words(
    columns: Sequence[Sequence[Cell]], rows: Sequence[TableRow], *, is_banded: bool
) -> bool:
    full = 0
    for column in columns:
        if not column:
            continue
        wide = max(c.u1 for c in column) - min(c.u0 for c in column)
        fills = [(c.u1 - c.u0) / max(wide, 1.0) for c in column]
        chars = median_high([len(c.text) for c in column])
        full += len(column) >= 4 and median_high(fills) >= _PROSE_FILL and chars >= 16
    if full >= 2:
        return False
    if is_banded:
        return _are_short(columns, 60)
    complete = sum(1 for row in rows if len(row.cells) >= 3)
    return (
        len(rows) >= 4
        and complete >= 0.7 * len(rows)
        and (full == 0 or len(columns) > 3)
        and _are_short(columns, 24)
    )


# Lines of cells to rows: a cell whose text is wrapped makes one row of several lines.

_TIGHT = 0.5


def rows_of_bands(
    lines: Sequence[TableRow], sizes: Sequence[int], /, *, is_wrapped: bool = False
) -> list[TableRow] | None:
    """Return one row per band between drawn lines; ``None`` if they separate groups of rows."""
    if len(sizes) < 3 or is_wrapped != (2 * len(sizes) < len(lines)):
        return None
    out = []
    at = 0
    for size in sizes:
        group = lines[at : at + size]
        at += size
        if has_two_values(group):
            return None
        out.append(joined(group))
    return out


def joined_rows(lines: Sequence[TableRow], /) -> list[TableRow]:
    """Join the lines of each row: one without label and values continues the words above."""
    return [joined(group) for group in in_runs(lines, _continues_row)]


def _continues_row(group: Sequence[TableRow], line: TableRow) -> bool:
    above = group[-1]
    size = line.cells[0].segments[0].size
    if line.v0 - above.v1 > _TIGHT * size or len(group[0].cells) < 2:
        return False
    if len(line.cells) >= len(group[0].cells):
        return False
    wordy = {c.column for row in group for c in row.cells if not is_value(c.text)}
    if any(c.sort != "words" or c.span > 1 or c.column not in wordy for c in line.cells):
        return False
    if line.cells[0].column > 0:
        return True
    # A label continues on a separate line if the line cannot be the label of another row.
    return len(line.cells) == 1 and line.cells[0].text[:1].islower()


def has_two_values(group: Sequence[TableRow], /) -> bool:
    """Return whether several rows have a value in the same column."""
    values = [c.column for row in group for c in row.cells if is_value(c.text)]
    return len(set(values)) < len(values)


def joined(group: Sequence[TableRow], /) -> TableRow:
    """Join lines cell by cell; a cell over several columns absorbs those below it."""
    if len(group) == 1:
        return group[0]
    cells: list[Cell] = []
    for cell in sorted((c for row in group for c in row.cells), key=lambda c: c.column):
        if cells and cell.column < cells[-1].column + cells[-1].span:
            last = cells[-1]
            last.segments = [*last.segments, *cell.segments]
            last.span = max(last.span, cell.column + cell.span - last.column)
        else:
            cells.append(Cell(cell.column, cell.span, list(cell.segments)))
    return TableRow(cells)
