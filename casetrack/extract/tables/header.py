"""Finds the header rows of a table.

A file can mark them. Other header rows have short labels and differ from the rows below: bold type,
a shaded background, values below them, names over several columns, or three or more columns. A form
of labels with their values has none of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from casetrack.base.words import WordLists
from casetrack.extract.tables.model import (
    MONEY_SIGNS,
    Cell,
    Row,
    Sort,
    head_names,
    is_caption,
    row_text,
)

Sign = Literal["marked", "bold", "shaded", "values", "codes", "levels"]
"""Differences of a header from the rows below it."""

MAX_LEVELS = 4
"""The largest number of rows of a header."""

_MAX_TITLES, _MAX_ROWS = 3, 100
_LABEL_CHARS, _BOLD_LABEL_CHARS, _GUESSED_LABEL_CHARS = 120, 150, 80
_AMOUNT = re.compile(rf"\W*\d|.*[{MONEY_SIGNS}]\s?\d")
_SORTS: tuple[Sort, ...] = get_args(Sort)
_VALUES, _NUMBERS, _PERIODS = (
    frozenset[Sort](sorts) for sorts in (("number", "year", "day"), ("number",), ("year", "day"))
)
_CODED = 0.8
_FORM_LABEL_CHARS = 40
_WORDS = re.compile(r"[^\W\d_]+")
# Two labels side by side that contain one of these are a header, not a form.
_COLUMN_WORDS = frozenset(WordLists(__file__).words("column_words"))


class Head(NamedTuple):
    """The header of a table."""

    titles: int = 0  # number of title rows at the top
    rows: int = 0  # number of rows with titles and names of columns; 0 without a header
    signs: frozenset[Sign] = frozenset()  # reasons; empty if only its position makes it a header


def table_lines(rows: Sequence[Row], /, *, guess: bool = True) -> list[str]:
    """Return the line of each row; rows below a header carry its words.

    A file can mark header rows, also below other rows; without one the header is a *guess*.
    """
    filled = [row for row in rows if row.cells]
    head, titles = find_head(filled) if guess else Head(), _titles(filled)
    if any(row.is_marked for row in filled[titles:]):
        head = Head(titles)
    opened = iter(with_spans(filled))
    labels = frozenset[int]() if head.rows or not guess else label_columns(filled)
    if labels and not any(row.is_marked for row in filled):
        return [
            " | ".join(pair_texts([c.text for c in r.cells], [c.column for c in r.cells], labels))
            for r in rows
        ]
    lines: list[str] = []
    heads: list[Row] = []
    names: dict[int, str] = {}
    seen = 0
    for row in rows:
        if not row.cells:
            lines.append("")
            continue
        full = next(opened)
        if row.is_marked or seen < head.rows:
            heads += [full] * (seen >= head.titles)
            lines.append(row_text(row))
        else:
            if heads:
                names, heads = head_names(heads), []
            lines.append(row_text(row, names))
        seen += 1
    return lines


def label_columns(rows: Sequence[Row], /) -> frozenset[int]:
    """Return the columns of a form that name the cells to their right; empty for another table.

    Rows have labels and values in turn; labels have colons or a different format, or the values
    of one column are of several sorts.
    """
    rows = [row for row in rows if len(row.cells) > 1]
    labels = {cell.column for row in rows for cell in row.cells[::2]}
    pairs = [pair for row in rows for pair in zip(row.cells[::2], row.cells[1::2], strict=False)]
    if any(len(row.cells) % 2 for row in rows) or any(b.column in labels for _, b in pairs):
        return frozenset()
    if not all(_is_label(label) for label, _ in pairs):
        return frozenset()
    if 2 * sum(label.text.endswith(":") for label, _ in pairs) >= len(pairs) > 0:
        return frozenset(labels)
    looks = [{(cell.style, cell.is_bold) for cell in side} for side in zip(*pairs, strict=True)]
    if len(rows) < 3 or len({label.text for label, _ in pairs}) < len(pairs):
        return frozenset()
    digits = [_has_digit(value) or value.sort == "number" for _, value in pairs]
    others = digits[1:].count(False)
    is_mixed = sum(digits) > 1 and any(digits[1:]) and others >= (1 if digits[0] else len(rows) / 5)
    is_apart = len(looks[0]) == 1 and looks[0].isdisjoint(looks[1])
    is_header = are_column_words([cell.text for cell in pairs[0]])
    is_form = is_apart or (is_mixed and len(labels) == 1 and not is_header)
    return frozenset(labels) if is_form else frozenset()


def _is_label(cell: Cell) -> bool:
    text = cell.text.rstrip(":")
    is_short = len(text) <= _FORM_LABEL_CHARS and text[:1].isalpha()
    return is_short and cell.sort == "words" and not _has_digit(cell)


def pair_texts(
    texts: Sequence[str], columns: Sequence[int], labels: Container[int], /
) -> list[str]:
    """Return the cells of a row, those of a form as ``Label: value``."""
    out: list[str] = []
    name = ""
    for text, column in zip(texts, columns, strict=True):
        if name:
            out[-1] = f"{name}: {text}"
            name = ""
        else:
            out.append(text)
            name = text.rstrip(": ") if column in labels else ""
    return out


def with_spans(rows: Sequence[Row], /) -> list[Row]:
    """Widen names that have several names below them, although their cells are not merged."""
    out = list(rows)
    for at in range(min(MAX_LEVELS, len(out)) - 1):
        if all(cell.span == 1 for cell in out[at].cells):
            ends = _open_ends(out[at], out[at + 1], out[at + 2 :])
            if ends is None:
                break
            pairs = zip(out[at].cells, ends, strict=True)
            cells = (replace(c, span=max(1, e - c.column)) for c, e in pairs)
            out[at] = out[at]._replace(cells=tuple(cells))
    return out


def _open_ends(above: Row, below: Row, rest: Sequence[Row]) -> list[int] | None:
    """Return the end columns of names that continue over the empty cells to their right."""
    columns = {c.column for c in above.cells}
    if len(columns) < 2:
        return None
    gaps = [c for c in below.cells if c.column not in columns and c.column > min(columns)]
    if not gaps or any(c.sort == "number" for c in below.cells):
        return None
    looks = {c.style for c in (*above.cells, *below.cells)}
    apart = None not in looks and looks.isdisjoint(c.style for r in rest for c in r.cells)
    ends = [c.column for c in above.cells[1:]] + [below.cells[-1].column + 1]
    groups = [
        [c.text for c in below.cells if cell.column <= c.column < end]
        for cell, end in zip(above.cells, ends, strict=True)
    ]
    filled = [group for group in groups if group]
    same = len(filled) > 1 and all(group == filled[0] for group in filled)
    return ends if (apart or same) and all(len(group) > 1 for group in filled) else None


def find_head(rows: Sequence[Row], /, *, guess_from: float = 3, levels: int = MAX_LEVELS) -> Head:
    """Return the header of a table, from all its rows with text.

    *guess_from* is the minimum number of cells of a header without any sign; two columns also need
    a typical name. *levels* limits its rows, *titles* excluded.
    """
    titles = _titles(rows)
    marked = 0
    while marked < len(rows) - 1 and rows[marked].is_marked:
        marked += 1
    if marked > titles:
        return Head(titles, marked, frozenset({"marked"}))
    rows = rows[titles : titles + _MAX_ROWS]
    if len(rows) > 1 and _are_ordinals(rows[0], rows[1:]):
        return Head(titles, titles + 1)
    if len(rows) < 2 or not _are_names(rows[0], _first_column(rows)) or label_columns(rows):
        return Head()
    if levels > 1:
        rows = with_spans(rows)
    signs = head_signs(rows[0], rows[1:])
    count = 1
    while count < min(levels, len(rows) - 1) and _is_level(rows, count, signs):
        count += 1
    if count > 1:
        return Head(titles, titles + count, signs | {"levels"})
    is_header = _is_header(rows[0], rows[1:], signs, guess_from)
    return Head(titles, titles + 1, signs) if is_header else Head()


def _titles(rows: Sequence[Row]) -> int:
    """Return the number of title rows: one cell, first or over less than half of the names."""
    first, count = _first_column(rows), 0
    while count < min(len(rows) - 2, _MAX_TITLES) and len(rows[count].cells) == 1:
        cell = rows[count].cells[0]
        names = next((row.cells for row in rows[count + 1 :] if len(row.cells) > 1), ())
        under = sum(name.column in cell.columns for name in names)
        if cell.column > first and 2 * under >= len(names) and not is_caption(cell.text):
            break
        count += 1
    return count


def _first_column(rows: Sequence[Row]) -> int:
    return min((row.cells[0].column for row in rows), default=0)


def _are_ordinals(row: Row, body: Sequence[Row]) -> bool:
    """Return whether cells number the columns, and neither the rows nor the values go on so."""
    texts = [cell.text for cell in row.cells]
    first = row.cells[0]
    if texts[0] not in {"0", "1"} or texts != [
        str(int(texts[0]) + cell.column - first.column) for cell in row.cells
    ]:
        return False
    inside = [c for r in body for c in r.cells if first.column <= c.column]
    if len(texts) > 1 and 2 * sum(cell.sort == "words" for cell in inside) > len(inside):
        return True
    following = {str(int(texts[0]) + 1), str(int(texts[-1]) + 1)}
    return len(texts) > 2 and body[0].cells[0].text not in following


def _are_names(row: Row, first: int) -> bool:
    """Return whether cells are short texts, nearly all no values; a form's labels have colons."""
    if any(len(c.text) > (_BOLD_LABEL_CHARS if c.is_bold else _LABEL_CHARS) for c in row.cells):
        return False
    few = len(row.cells) // 5
    labels = sum(cell.text.endswith(":") for cell in row.cells)
    return (labels <= few or row.cells[0].column > first) and (
        sum(cell.sort == "number" for cell in row.cells) <= few
    )


def head_signs(first: Row, body: Sequence[Row], /) -> frozenset[Sign]:
    """Return how a row differs from the rows below it."""
    signs: set[Sign] = set()
    cells = [cell for row in body for cell in row.cells]
    words = [cell.is_bold for cell in first.cells if any(map(str.isalpha, cell.text))]
    is_bold = all(words) and any(cell.is_bold for cell in first.cells)
    if is_bold and 2 * sum(cell.is_bold for cell in cells) < len(cells):
        signs.add("bold")
    if first.is_shaded and 3 * sum(row.is_shaded for row in body) < 2 * len(body):
        signs.add("shaded")
    sorts = Counter((cell.column, cell.sort) for cell in cells)
    if any(_are_mostly(cell, sorts, _VALUES - {cell.sort}) for cell in first.cells):
        signs.add("values")
    if not any(map(_has_digit, first.cells)):
        coded = Counter(cell.column for cell in cells if _has_digit(cell))
        below = Counter(cell.column for cell in cells)
        if any(below[c] > 2 and coded[c] >= _CODED * below[c] for c in range(*_extent(first))):
            signs.add("codes")
    return frozenset(signs)


def _has_digit(cell: Cell) -> bool:
    return any(map(str.isdigit, cell.text))


def _extent(row: Row) -> tuple[int, int]:
    return row.cells[0].column, row.cells[-1].columns.stop


def _are_mostly(cell: Cell, sorts: Counter[tuple[int, Sort]], wanted: frozenset[Sort]) -> bool:
    below = {sort: sum(sorts[column, sort] for column in cell.columns) for sort in _SORTS}
    return 2 * sum(below[sort] for sort in wanted) > sum(below.values())


def _is_level(rows: Sequence[Row], count: int, signs: frozenset[Sign]) -> bool:
    """Return whether a row is the next level of a header.

    It has several names below one, and only values or nothing below the others; or it has the
    format of the row above, or no row label before its names.
    """
    above, row = rows[count - 1], rows[count]
    if not _are_names(row, _first_column(rows)) or any(cell.sort == "number" for cell in row.cells):
        return False
    own = head_signs(row, rows[count + 1 :])
    wide = [cell.columns for cell in above.cells if cell.span > 1]
    if any(sum(cell.column in columns for cell in row.cells) > 1 for columns in wide):
        others = {cell.column for cell in above.cells if cell.span == 1}
        if others.isdisjoint(cell.column for cell in row.cells) or "values" in own:
            return True
    if len(row.cells) > 1 and "values" in own and row.cells[0].column > _first_column(rows):
        return True
    look: Sign = "bold" if "bold" in signs else "shaded"
    return len(row.cells) > 1 and look in signs and look in own


def _is_header(first: Row, body: Sequence[Row], signs: frozenset[Sign], guess_from: float) -> bool:
    """Return whether a single row of names is the header."""
    count = len(first.cells)
    texts = {cell.text.casefold() for cell in first.cells}
    if (count < 2 and "values" not in signs) or _is_data(first, body):
        return False
    if "values" in signs and not _is_form(first, body):
        return True
    if 2 * sum(len(row.cells) > 1 for row in body) < len(body):
        return False
    if signs and (count > 2 or signs != {"codes"}):
        return signs != {"values"}
    if len(texts) < count or any(
        len(cell.text) > _GUESSED_LABEL_CHARS or cell.sort == "number" for cell in first.cells
    ):
        return False
    if _has_row_labels([first, *body]) or any(map(_AMOUNT.match, texts)):
        return False
    return count >= guess_from or are_column_words(texts)


def _is_data(first: Row, body: Sequence[Row]) -> bool:
    sorts = Counter((cell.column, cell.sort) for row in body for cell in row.cells)
    return any(
        _are_mostly(cell, sorts, _NUMBERS if cell.sort == "number" else _PERIODS)
        for cell in first.cells
        if cell.sort != "words"
    )


def _is_form(first: Row, body: Sequence[Row]) -> bool:
    """Return whether rows have a name and its value: the second column has words and values."""
    if len(first.cells) != 2 or any(len(row.cells) > 2 for row in body):
        return False
    second = [cell for row in body for cell in row.cells if cell.column == first.cells[1].column]
    words = sum(cell.sort == "words" for cell in second)
    return len(second) <= 4 * words < 4 * len(second)


def _has_row_labels(rows: Sequence[Row]) -> bool:
    """Return whether the first column names the rows instead: in bold, or with colons."""
    column = _first_column(rows)
    labels = [row.cells[0] for row in rows if row.cells[0].column == column]
    others = [cell for row in rows for cell in row.cells[1:]]
    bold = sum(cell.is_bold for cell in labels) > 0.8 * len(labels)
    if bold and 2 * sum(cell.is_bold for cell in others) < len(others):
        return True
    return 2 * sum(cell.text.endswith(":") for cell in labels) > len(labels)


def are_column_words(texts: Iterable[str], /) -> bool:
    """Return whether each text begins or ends with a word that is often the name of a column."""
    for text in texts:
        words = _WORDS.findall(text.casefold())
        if not words or len(words) > 4 or _COLUMN_WORDS.isdisjoint({words[0], words[-1]}):
            return False
    return True
