"""Rows in each format, written block by block."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import math
import re
import sys
from decimal import Decimal
from itertools import chain, count
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, get_args

import pyarrow.types as kinds

from casetrack.base import arrow_values
from casetrack.base.arrow_values import is_bignum, python_values, without_formula
from casetrack.base.errors import UsageError
from casetrack.base.files import replacement
from casetrack.faces.cli import output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    Convert = Callable[[Any], Any]

_BLOCK_ROWS = 1000


def blocks(
    rows: pa.Table, /, *, as_text: bool = False, moments: bool = False
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows as lists of tuples with JSON values.

    Tuples allow equal column names. The values are those of
    :func:`casetrack.base.arrow_values.python_values`. Times become ISO 8601 (UTC if they have a
    zone), and intervals its durations; bytes hexadecimal digits; decimals numbers if that is exact;
    float32 the shortest equal number.

    Parameters
    ----------
    as_text
        Write ``NaN`` and infinities as these words; JSON has no such numbers and gets ``None``.
    moments
        Keep moments unchanged, except within lists and structs.
    """
    convert = [
        (lambda value: value)
        if moments and kinds.is_timestamp(field.type)
        else _converter(field.type, as_text)
        for field in rows.schema
    ]
    for batch in rows.to_batches(max_chunksize=_BLOCK_ROWS):
        columns = [
            map(change, python_values(column))
            for column, change in zip(batch.columns, convert, strict=True)
        ]
        yield list(zip(*columns, strict=True))


def _converter(kind: pa.DataType, as_text: bool) -> Convert:
    """Return the function that converts a value of a type for JSON; ``None`` if none is needed."""
    change = _change(kind, as_text)
    return lambda value: None if value is None else change(value)


def _change(kind: pa.DataType, as_text: bool) -> Convert:
    if kinds.is_float32(kind) or kinds.is_float16(kind):
        return lambda value: _float(_short(value), as_text)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        item = _converter(kind.value_type, as_text)
        return lambda values: list(map(item, values))
    if kinds.is_struct(kind):
        fields = {field.name: _converter(field.type, as_text) for field in kind}
        return lambda value: {name: fields[name](v) for name, v in value.items()}
    if kinds.is_map(kind):
        # A JSON key is text, which can also represent NaN.
        key, item = _converter(kind.key_type, True), _converter(kind.item_type, as_text)
        return lambda pairs: {text_of(key(k)): item(v) for k, v in pairs}
    if arrow_values.is_bignum(kind):
        return arrow_values.bignum
    return lambda value: _plain(value, as_text)


def _short(value: float) -> float:
    import numpy as np

    return float(str(np.float32(value)))


def _float(value: float, as_text: bool) -> float | str | None:
    if math.isfinite(value):
        return value
    if not as_text:
        return None
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _plain(value: Any, as_text: bool) -> Any:
    if isinstance(value, float):
        return _float(value, as_text)
    if isinstance(value, list):  # Of a union; other lists have their own type.
        return [_plain(v, as_text) for v in value]
    if isinstance(value, dict):
        return {name: _plain(v, as_text) for name, v in value.items()}
    if value is None or isinstance(value, (str, int)):
        return value
    write: Convert = _WRITERS.get(type(value), arrow_values.duration)
    return write(value)


def _moment(value: dt.datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"


def _number(value: Decimal) -> int | float | str:
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)


_WRITERS: dict[type, Convert] = {
    dt.datetime: _moment,
    dt.date: dt.date.isoformat,
    dt.time: dt.time.isoformat,
    Decimal: _number,
    bytes: bytes.hex,
}


def text_of(value: Any, /) -> str:
    """Return a JSON value as the text of a cell: nested values as JSON, ``None`` as no text."""
    if isinstance(value, (list, dict, bool)):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def shown(value: Any, /) -> str:
    """Return a value of Arrow as people read it in a table: local times, short numbers."""
    from casetrack.faces.cli.output import local_time

    if isinstance(value, dt.datetime):
        try:
            return local_time(value)
        except OverflowError:  # in the first or last hours that Python has, in another zone
            return _moment(value)
    if not isinstance(value, float) or not math.isfinite(value):
        return text_of(value)
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-3:
        return f"{value:.4g}"
    whole, _, fraction = f"{value:.4f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def is_numeric(kind: pa.DataType, /) -> bool:
    """Return whether the values of a type are numbers, which are right-aligned."""
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def unique_names(names: Sequence[str], /) -> list[str]:
    """Return names of columns with numbers for repeated ones.

    Examples
    --------
    >>> unique_names(["a", "a", "b"])
    ['a', 'a_1', 'b']
    """
    result: list[str] = []
    for name in names:
        others = (new for n in count(1) if (new := f"{name}_{n}") not in names)
        result.append(next(new for new in chain([name], others) if new not in result))
    return result


Format = Literal["table", "json", "jsonl", "csv", "parquet", "arrow", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
_SAME_ENDING: tuple[Format, ...] = ("json", "jsonl", "csv", "parquet", "arrow")
BY_ENDING: dict[str, Format] = {f".{name}": name for name in _SAME_ENDING} | {
    ".feather": "arrow",
    ".md": "markdown",
    ".txt": "table",
}
BINARY: frozenset[Format] = frozenset({"parquet", "arrow"})
_CSV_SIGNS = re.compile(r'[",\r\n]')


def format_of(path: Path | None, /) -> Format:
    """Return the format for the extension of a file; a table if there is none."""
    ending = "" if path is None else path.suffix.lower()
    if not ending:
        return "table"
    if ending not in BY_ENDING:
        raise UsageError(
            f"The extension {ending} of {path} does not define a format.",
            hint=f"Use one of {', '.join(BY_ENDING)}, or set --format.",
        )
    return BY_ENDING[ending]


def write_stdout(rows: pa.Table, wanted: Format, /, *, raw: bool = False) -> None:
    """Write rows to standard output; for *raw* see :func:`text_blocks`."""
    if wanted in BINARY:
        sys.stdout.flush()
        _write_binary(rows, wanted, sys.stdout.buffer)
    elif wanted == "table" and output.is_terminal(sys.stdout):
        show(rows)
    else:
        change = output.clean if output.is_terminal(sys.stdout) else str
        for block in text_blocks(rows, wanted, ascii_only=output.needs_ascii(), raw=raw):
            output.write_text(change(block))


def write_file(rows: pa.Table, wanted: Format, path: Path, /, *, raw: bool = False) -> None:
    """Write rows to a file completely or not at all; for *raw* see :func:`text_blocks`.

    Special files such as a pipe cannot be replaced and are written directly.
    """
    is_special = path.exists() and not path.is_file()
    target = path.resolve()  # a link stays a link
    try:
        with (
            contextlib.nullcontext(path) if is_special else replacement(target) as new,
            new.open("wb") as file,
        ):
            if wanted in BINARY:
                _write_binary(rows, wanted, file)
            else:
                for block in text_blocks(rows, wanted, raw=raw):
                    file.write(block.encode("utf-8", "replace"))
            if target.is_file():
                new.chmod(target.stat().st_mode & 0o7777)
    except OSError as error:
        raise UsageError(
            f"Cannot write {path}: {error.strerror or error}.",
            hint="Choose a folder that exists and that you may write to.",
        ) from error


def _write_binary(rows: pa.Table, wanted: Format, file: BinaryIO) -> None:
    import pyarrow as pa

    rows = rows.rename_columns(unique_names(rows.column_names))
    if wanted == "arrow":
        with pa.ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows)
        return
    refused = (pa.ArrowInvalid, pa.ArrowNotImplementedError)
    try:
        _write_parquet(rows, file)
    except refused:
        names = []
        for name in rows.column_names:
            try:
                _write_parquet(rows.select([name]), pa.BufferOutputStream())
            except refused:
                names.append(name)
        if not names:
            raise
        casts = ", ".join(f'"{name}"::VARCHAR' for name in names[:3])
        columns = f"the column{'' if len(names) == 1 else 's'} {', '.join(names)}"
        raise UsageError(
            f"Parquet has no type for the values of {columns}.",
            hint=f"Select them as text, such as {casts}, or write another format.",
        ) from None


def _write_parquet(rows: pa.Table, file: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if any(map(is_bignum, rows.schema.types)):
        raise pa.ArrowNotImplementedError("only DuckDB could read the bytes of a bignum")
    pq.write_table(rows, file)


def text_blocks(
    rows: pa.Table, wanted: Format, /, *, ascii_only: bool = False, raw: bool = False
) -> Iterator[str]:
    """Yield the rows as text in one of the formats, some hundred rows at a time.

    Parameters
    ----------
    ascii_only
        Write JSON with escapes for an output without Unicode.
    raw
        Do not protect texts in CSV and Markdown that a spreadsheet would read as formulas.
    """
    if wanted == "json":
        return _json(rows, ascii_only)
    if wanted == "jsonl":
        return ("".join(f"{text}\n" for text in t) for t in _objects(rows, ascii_only, None))
    if wanted == "csv":
        return ("".join(map(_csv_line, block)) for block in _guarded(rows, raw))
    if wanted == "markdown":
        return _markdown(rows, raw)
    lines = output.plain_table(_fields(rows), lambda: chain.from_iterable(_cells(rows)))
    return (f"{text}\n" for text in lines)


def _objects(rows: pa.Table, ascii_only: bool, indent: int | None) -> Iterator[list[str]]:
    names = unique_names(rows.column_names)
    for block in blocks(rows):
        records = (dict(zip(names, values, strict=True)) for values in block)
        yield [output.json_text(record, ascii_only=ascii_only, indent=indent) for record in records]


def _json(rows: pa.Table, ascii_only: bool) -> Iterator[str]:
    opening = "[\n"
    for texts in filter(None, _objects(rows, ascii_only, 2)):
        yield opening + ",\n".join("  " + text.replace("\n", "\n  ") for text in texts)
        opening = ",\n"
    yield "\n]\n" if opening == ",\n" else "[]\n"


def _guarded(rows: pa.Table, raw: bool) -> Iterator[list[list[str]]]:
    """Yield the names of the columns, then the rows, without formulas for spreadsheets."""

    def cell(value: Any, is_number: bool) -> str:
        text = text_of(value)
        return text if raw or is_number else without_formula(text)

    numeric = [is_numeric(field.type) for field in rows.schema]
    yield [[cell(name, False) for name in rows.column_names]]
    for block in blocks(rows, as_text=True):
        yield [list(map(cell, values, numeric)) for values in block]


def _csv_line(cells: list[str]) -> str:
    # Python's own writer leaves a lone carriage return without quotation marks before 3.13.
    quoted = ('"' + c.replace('"', '""') + '"' if _CSV_SIGNS.search(c) else c for c in cells)
    return (",".join(quoted) or '""') + "\n"


def _markdown(rows: pa.Table, raw: bool) -> Iterator[str]:
    for number, block in enumerate(_guarded(rows, raw)):
        yield "".join(_markdown_line(map(_markdown_cell, cells)) for cells in block)
        if not number:
            rules = ("---:" if is_numeric(field.type) else "---" for field in rows.schema)
            yield _markdown_line(rules)


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _markdown_cell(text: str) -> str:
    return re.sub(r"([\\|<])", r"\\\1", output.clean(text)).replace("\n", "<br>")


# Tables for reading: complete and aligned in a pipe, fitted to the width on a terminal.

_LEAST_WIDTH = 8
_MOST_LINES = 4
_GAP = 2


def show(rows: pa.Table, /, *, width: int | None = None) -> None:
    """Write rows to a terminal as a table.

    Columns shrink to the width of the terminal, and long texts are wrapped and cut after four
    lines. If there are too many columns, each row is a block of lines. A note on standard error
    reports cut texts.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.containers import Lines
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width, markup=False, emoji=False, highlight=False)
    cuts: list[bool] = []

    class Cell(Text):
        """A text of at most four lines."""

        def __init__(self, text: str) -> None:
            text = output.clean(text.strip("\n")).replace("\t", " ")
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

    fields, cells, numbers = _fields(rows), _cells(rows), count(1)
    first = next(cells, [])
    needed = sum(
        min(max(cell_len(cell[:_LEAST_WIDTH]) for cell in column), _LEAST_WIDTH) + _GAP
        for column in zip([field.title for field in fields], *first, strict=True)
    )
    for block in chain([first], cells):
        if needed - _GAP > console.width:
            for row in block:
                grid = Table.grid(padding=(0, _GAP, 0, 0))
                for field, cell in zip(fields, row, strict=True):
                    grid.add_row(Text(field.title, overflow="fold"), Cell(cell))
                console.rule(f"\u2500\u2500 {next(numbers)}", align="left", style="")
                console.print(grid)
            continue
        table = output.ruled()
        for field in fields:
            table.add_column(Text(field.title), justify=field.align, overflow="fold")
        for row in block:
            table.add_row(*map(Cell, row))
        console.print(table)
    if cuts:
        note = (
            "Long texts are cut (\u2026) in this table; the other formats have the complete text."
        )
        output.line((note, "dim"), err=True)


def _fields(rows: pa.Table) -> list[output.Field]:
    return [
        output.Field(output.one_line(field.name), "right" if is_numeric(field.type) else "left")
        for field in rows.schema
    ]


def _cells(rows: pa.Table) -> Iterator[list[list[str]]]:
    for block in blocks(rows, as_text=True, moments=True):
        yield [list(map(shown, values)) for values in block]
