"""Rows as a table to read: complete and aligned in a pipe, fitted to the width on a terminal."""

from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING, Any, Literal

from casetrack.faces.cli.output import clean, is_terminal, line, one_line, ruled, write_text
from casetrack.faces.cli.query.values import blocks, is_numeric, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.measure import Measurement

    from casetrack.faces.cli.query.values import Convert

_PAD_LIMIT = 4000
"""Columns up to which others are aligned to a cell; a single huge one must not swell every row."""
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
        for text in plain_blocks(rows):
            write_text(text)
        return
    from itertools import chain

    from rich.cells import cell_len
    from rich.console import Console
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width, markup=False, emoji=False, highlight=False)
    titles = [one_line(name) for name in rows.column_names]
    found, cuts = _cells(rows), list[bool]()
    first = next(found, [])
    needed = [
        min(max(cell_len(cell[:_LEAST_WIDTH]) for cell in column), _LEAST_WIDTH) + _GAP
        for column in zip(titles, *first, strict=True)
    ]
    number = 0
    for block in chain([first], found):
        if sum(needed) - _GAP > console.width:
            for row in block:
                number += 1
                grid = Table.grid(padding=(0, _GAP, 0, 0))
                for title, cell in zip(titles, row, strict=True):
                    grid.add_row(_Cell(title, []), _Cell(cell, cuts))
                console.print(Rule(f"\u2500\u2500 {number}", align="left", style=""), grid)
            continue
        table = ruled()
        for title, field in zip(titles, rows.schema, strict=True):
            justify: Literal["left", "right"] = "right" if is_numeric(field.type) else "left"
            table.add_column(Text(title), justify=justify, overflow="fold")
        for row in block:
            table.add_row(*(_Cell(cell, cuts) for cell in row))
        console.print(table)
    if cuts:
        note = "Long texts are cut (\u2026) in this table; the other formats have them whole."
        line((note, "dim"), err=True)


class _Cell:
    """A cell of at most four lines on a terminal; *cuts* gets an item for each cell that is cut."""

    def __init__(self, text: str, cuts: list[bool], /) -> None:
        self._text = clean(text.strip("\n")).replace("\t", " ")
        self._cuts = cuts

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Return the least and the largest width of its text."""
        from rich.measure import Measurement
        from rich.text import Text

        return Measurement.get(console, options, Text(self._text[: options.max_width * 4]))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield its lines."""
        from rich.text import Text

        most = options.max_width * _MOST_LINES * 2
        lines = [*Text(self._text[:most]).wrap(console, options.max_width, overflow="fold")]
        if len(lines) > _MOST_LINES or len(self._text) > most:
            del lines[_MOST_LINES:]
            lines[-1].truncate(options.max_width - 1)
            lines[-1].rstrip()
            lines[-1].append("\u2026")
            self._cuts.append(True)
        yield from lines


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


def _padded(text: str, width: int, right: bool) -> str:
    from rich.cells import cell_len

    pad = " " * (width - cell_len(text))
    return pad + text if right else text + pad


def _cells(rows: pa.Table) -> Iterator[list[tuple[str, ...]]]:
    return blocks(rows, as_text=True, write=_text)


def _text(change: Convert, value: Any) -> str:
    return shown(value if isinstance(value, dt.datetime) else change(value))
