"""Rows as a table to read: complete and aligned in a pipe, fitted to the width on a terminal."""

from __future__ import annotations

import datetime as dt
import sys
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from casetrack.faces.cli.output import (
    Field,
    clean,
    is_terminal,
    line,
    one_line,
    plain_table,
    ruled,
    write_text,
)
from casetrack.faces.cli.query.values import blocks, is_numeric, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from casetrack.faces.cli.query.values import Convert

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
        for text in plain_lines(rows):
            write_text(text)
        return
    from rich.cells import cell_len
    from rich.console import Console
    from rich.containers import Lines
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width, markup=False, emoji=False, highlight=False)
    cuts: list[bool] = []

    class Cell(Text):
        """A text of at most four lines."""

        def __init__(self, text: str) -> None:
            text = clean(text.strip("\n")).replace("\t", " ")
            super().__init__(text[: console.width * _MOST_LINES * 2], overflow="fold")

        def wrap(self, console: Console, width: int, **options: Any) -> Lines:
            """Wrap it and cut the rest."""
            lines = super().wrap(console, width, **options)
            if len(lines) > _MOST_LINES:
                lines = Lines(lines[:_MOST_LINES])
                lines[-1].truncate(width - 1)
                lines[-1].rstrip()
                lines[-1].append("\u2026")
                cuts.append(True)
            return lines

    fields, found, numbers = _fields(rows), _cells(rows), count(1)
    first = next(found, [])
    needed = sum(
        min(max(cell_len(cell[:_LEAST_WIDTH]) for cell in column), _LEAST_WIDTH) + _GAP
        for column in zip([field.title for field in fields], *first, strict=True)
    )
    for block in chain([first], found):
        if needed - _GAP > console.width:
            for row in block:
                grid = Table.grid(padding=(0, _GAP, 0, 0))
                for field, cell in zip(fields, row, strict=True):
                    grid.add_row(Text(field.title, overflow="fold"), Cell(cell))
                rule = Rule(f"\u2500\u2500 {next(numbers)}", align="left", style="")
                console.print(rule, grid)
            continue
        table = ruled()
        for field in fields:
            table.add_column(Text(field.title), justify=field.align, overflow="fold")
        for row in block:
            table.add_row(*map(Cell, row))
        console.print(table)
    if cuts:
        note = "Long texts are cut (\u2026) in this table; the other formats have them whole."
        line((note, "dim"), err=True)


def plain_lines(rows: pa.Table, /) -> Iterator[str]:
    """Yield the lines of a plain table with columns as wide as their values; nothing is cut."""
    lines = plain_table(_fields(rows), lambda: chain.from_iterable(_cells(rows)))
    return (f"{text}\n" for text in lines)


def _fields(rows: pa.Table) -> list[Field]:
    return [
        Field(one_line(field.name), "right" if is_numeric(field.type) else "left")
        for field in rows.schema
    ]


def _cells(rows: pa.Table) -> Iterator[list[tuple[str, ...]]]:
    return blocks(rows, as_text=True, write=_text)


def _text(change: Convert, value: Any) -> str:
    return shown(value if isinstance(value, dt.datetime) else change(value))
