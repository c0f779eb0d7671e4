"""Rows as a table to read: complete and aligned in a pipe, fitted to the width on a terminal."""

from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING, Any

from casetrack.base.arrow_values import python_values
from casetrack.faces.cli.output import clean, is_terminal, line, one_line, write_text
from casetrack.faces.cli.query.values import converters, is_numeric, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

_PAD_LIMIT = 4000
"""Columns up to which others are aligned to a cell; a single huge one must not swell every row."""
_BLOCK_ROWS = 1000
_LEAST_WIDTH = 8
_MOST_LINES = 4
_GAP = 2


def show(rows: pa.Table, /, *, width: int | None = None) -> None:
    """Write rows to standard output as a table.

    On a terminal columns shrink to its width, long texts are wrapped and, after four lines, cut;
    where there are too many columns for that, each row is a block of lines. A note on standard
    error says what was cut.

    Parameters
    ----------
    width
        Columns of the terminal; asked of it by default.
    """
    if width is None and not is_terminal(sys.stdout):
        for block in plain_blocks(rows):
            write_text(block)
        return
    if width is None:
        import shutil

        width = shutil.get_terminal_size().columns
    cut = False
    for block, was_cut in fitted_blocks(rows, width):
        write_text(block)
        cut = cut or was_cut
    if cut:
        note = "Long texts are cut (\u2026) in this table; the other formats have them whole."
        line((note, "dim"), err=True)


def plain_blocks(rows: pa.Table, /) -> Iterator[str]:
    """Yield a plain table with columns as wide as what they hold; nothing is cut."""
    from rich.cells import cell_len

    titles = [one_line(name) for name in rows.column_names]
    widths = [cell_len(title) for title in titles]
    for block in _cells(rows):
        for cells in block:
            widths = [max(w, cell_len(one_line(c))) for w, c in zip(widths, cells, strict=True)]
    widths = [min(width, _PAD_LIMIT) for width in widths]
    right = [is_numeric(field.type) for field in rows.schema]

    def row(cells: Sequence[str]) -> str:
        padded = map(_padded, map(one_line, cells), widths, right)
        return (" " * _GAP).join(padded).rstrip() + "\n"

    yield row(titles)
    for block in _cells(rows):
        yield "".join(map(row, block))


def fitted_blocks(rows: pa.Table, width: int, /) -> Iterator[tuple[str, bool]]:
    """Yield a table that is at most *width* columns wide, and whether something was cut."""
    titles = [one_line(name) for name in rows.column_names]
    natural = _natural_widths(rows, titles, width)
    widths = shrunk(natural, width - _GAP * (len(natural) - 1))
    if widths is None:
        yield from _upright(rows, titles, width)
        return
    right = [is_numeric(field.type) for field in rows.schema]
    heading = [_wrapped(title, w) for title, w in zip(titles, widths, strict=True)]
    rule = (" " * _GAP).join("\u2500" * w for w in widths)
    yield _lines([lines for lines, _ in heading], widths, right) + rule + "\n", False
    for block in _cells(rows):
        text, cut = [], False
        for cells in block:
            wrapped = [_wrapped(c, w) for c, w in zip(cells, widths, strict=True)]
            cut = cut or any(was_cut for _, was_cut in wrapped)
            text.append(_lines([lines for lines, _ in wrapped], widths, right))
        yield "".join(text), cut


def shrunk(natural: Sequence[int], room: int, /) -> list[int] | None:
    """Return widths that fit into *room*: only the widest columns give way, and evenly.

    ``None`` where a column would become narrower than eight, or than its text if that is shorter.

    Examples
    --------
    >>> shrunk([4, 40, 90], 64)
    [4, 30, 30]
    >>> shrunk([20, 20, 20], 20)
    """
    limit = max(natural, default=0)
    if sum(natural) > room:
        low, high = 0, limit
        while low < high:
            middle = (low + high + 1) // 2
            if sum(min(n, middle) for n in natural) <= room:
                low = middle
            else:
                high = middle - 1
        limit = low
        if limit < _LEAST_WIDTH:
            return None
    widths = [min(n, limit) for n in natural]
    spare = room - sum(widths)
    for i, n in enumerate(natural):
        if n > widths[i] and spare > 0:
            widths[i] += 1
            spare -= 1
    return widths


def _natural_widths(rows: pa.Table, titles: Sequence[str], most: int) -> list[int]:
    from rich.cells import cell_len

    widths = [cell_len(title) for title in titles]
    for block in _cells(rows):
        for cells in block:
            for i, cell in enumerate(cells):
                if widths[i] < most:
                    longest = max(map(cell_len, clean(cell[: most * 4]).split("\n")))
                    widths[i] = max(widths[i], min(longest, most))
    return [max(width, 1) for width in widths]


def _upright(rows: pa.Table, titles: Sequence[str], width: int) -> Iterator[tuple[str, bool]]:
    from rich.cells import cell_len

    label = min(max(map(cell_len, titles), default=0), max(width // 3, _LEAST_WIDTH))
    room = max(width - label - _GAP, _LEAST_WIDTH)
    number = 0
    for block in _cells(rows):
        text, cut = [], False
        for cells in block:
            number += 1
            text.append(f"\u2500\u2500 {number} ".ljust(width, "\u2500") + "\n")
            for title, cell in zip(titles, cells, strict=True):
                lines, was_cut = _wrapped(cell, room)
                cut = cut or was_cut
                heading, _ = _wrapped(title, label)
                text.append(_lines([heading, lines], [label, room], [False, False]))
        yield "".join(text), cut


def _wrapped(cell: str, width: int) -> tuple[list[str], bool]:
    """Return the lines of a cell, at most four, and whether some of it was cut."""
    from rich.cells import cell_len, chop_cells, set_cell_size

    most = width * _MOST_LINES
    text = clean(cell.strip("\n")).replace("\t", " ")
    lines: list[str] = []
    for paragraph in text[: most * 2].split("\n"):
        current = ""
        for word in paragraph.split(" "):
            joined = f"{current} {word}" if current else word
            if cell_len(joined) <= width:
                current = joined
                continue
            if current:
                lines.append(current)
            *full, current = chop_cells(word, width) or [""]
            lines += full
        lines.append(current)
    if len(lines) <= _MOST_LINES and len(text) <= most * 2:
        return lines, False
    last = lines[_MOST_LINES - 1 : _MOST_LINES] or [lines[-1]]
    kept = lines[: _MOST_LINES - 1] if len(lines) >= _MOST_LINES else lines[:-1]
    end = last[0] if cell_len(last[0]) < width else set_cell_size(last[0], width - 1)
    return [*kept, end.rstrip() + "\u2026"], True


def _lines(cells: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]) -> str:
    height = max(map(len, cells), default=0)
    text = ""
    for i in range(height):
        parts = [lines[i] if i < len(lines) else "" for lines in cells]
        text += (" " * _GAP).join(map(_padded, parts, widths, right)).rstrip() + "\n"
    return text


def _padded(text: str, width: int, right: bool) -> str:
    from rich.cells import cell_len

    pad = " " * (width - cell_len(text))
    return pad + text if right else text + pad


def _cells(rows: pa.Table) -> Iterator[list[list[str]]]:
    convert = converters(rows.schema, as_text=True)
    for batch in rows.to_batches(max_chunksize=_BLOCK_ROWS):
        columns = [
            [_cell(value, change) for value in python_values(column)]
            for column, change in zip(batch.columns, convert, strict=True)
        ]
        yield [list(cells) for cells in zip(*columns, strict=True)]


def _cell(value: Any, change: Any) -> str:
    if value is None:
        return ""
    return shown(value if isinstance(value, dt.datetime) else change(value))
