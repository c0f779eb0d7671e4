"""``casetrack query``: read-only SQL over a collection, as a table, JSON, CSV or Parquet."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casetrack.cli.options import CollectionOption
from casetrack.cli.output import Field, counted, is_terminal, line, table, write_text
from casetrack.cli.state import State
from casetrack.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

Format = Literal["table", "json", "csv", "parquet"]
_BY_SUFFIX: dict[str, Format] = {".json": "json", ".csv": "csv", ".parquet": "parquet"}


def query(
    ctx: typer.Context,
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="One SELECT over the views documents and chunks.")
    ],
    collection: CollectionOption = None,
    format_name: Annotated[
        Format | None,
        typer.Option(
            "--format", help="How to write it. [default: by the ending of --output, else table]"
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUE",
            help="A value for $NAME; may be repeated. Numbers, true, false and null are read as "
            'such; put "..." around a text that looks like one.',
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Ask a collection in SQL; it can only read, and sees neither other files nor the network.

    Columns and their meaning: casetrack schema. JSON is a list with one object per row.
    """
    wanted = "json" if as_json else format_name or _format_of(output)
    if wanted == "parquet" and output is None and is_terminal(sys.stdout):
        raise UsageError(
            "Parquet is not for reading on a terminal.",
            hint="Write it to a file with --output FILE, or choose another --format.",
        )
    params = _params(param or [])
    target = ctx.ensure_object(State).collection(collection)
    rows = target.sql(sql, params=params or None)
    if output is None:
        _write_stdout(rows, wanted)
        return
    try:
        _write_file(rows, wanted, output)
    except OSError as error:
        raise UsageError(
            f"Cannot write {output}: {error.strerror or error}.",
            hint="Choose a folder that exists and that you may write to.",
        ) from error
    line(f"Wrote {counted(rows.num_rows, 'row')} to {output}.", err=True)


def _format_of(output: Path | None) -> Format:
    return "table" if output is None else _BY_SUFFIX.get(output.suffix.lower(), "table")


def _params(given: list[str]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        name = name.strip().lstrip("$")
        if not equals or not name.isidentifier():
            raise UsageError(f"Not a parameter: {pair!r}.", hint="Write it as -p name=value.")
        params[name] = _value(text)
    return params


def _value(text: str) -> Any:
    """Read a number, ``true``, ``false``, ``null`` or a quoted text; all else is text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (list, dict)) else value


# --- writing -------------------------------------------------------------------------------


def _write_stdout(rows: "pa.Table", wanted: Format) -> None:
    if wanted == "parquet":
        sys.stdout.flush()
        _parquet(rows, sys.stdout.buffer)
    elif wanted == "table":
        _show(rows)
    else:
        encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
        write_text(_text(rows, wanted, ascii_only=encoding != "utf8"))


def _write_file(rows: "pa.Table", wanted: Format, output: Path) -> None:
    if wanted == "parquet":
        with output.open("wb") as file:
            _parquet(rows, file)
        return
    output.write_text(_text(rows, wanted), encoding="utf-8", newline="")


def _parquet(rows: "pa.Table", file: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(rows, file)


def _show(rows: "pa.Table") -> None:
    fields = _fields(rows)
    table(fields, _cells(rows))
    line((f"({counted(rows.num_rows, 'row')})", "dim"), err=True)


def _text(rows: "pa.Table", wanted: Format, *, ascii_only: bool = False) -> str:
    if wanted == "json":
        objects = [
            dict(zip(rows.column_names, map(plain, values), strict=True))
            for values in _tuples(rows)
        ]
        return json.dumps(objects, indent=2, ensure_ascii=ascii_only) + "\n"
    if wanted == "csv":
        return _csv(rows)
    from casetrack.cli.output import plain_table

    return "".join(text + "\n" for text in plain_table(_fields(rows), _cells(rows)))


def _csv(rows: "pa.Table") -> str:
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(rows.column_names)
    for values in _tuples(rows):
        writer.writerow([_csv_cell(plain(value)) for value in values])
    return buffer.getvalue()


def _csv_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def _fields(rows: "pa.Table") -> list[Field]:
    import pyarrow.types as kinds

    numeric = [kinds.is_integer(f.type) or kinds.is_floating(f.type) for f in rows.schema]
    return [
        Field(name, "right" if number else "left")
        for name, number in zip(rows.column_names, numeric, strict=True)
    ]


def _cells(rows: "pa.Table") -> list[list[str]]:
    from casetrack.cli.output import cell_text

    return [[cell_text(value) for value in values] for values in _tuples(rows)]


def _tuples(rows: "pa.Table") -> list[tuple[Any, ...]]:
    """Return the rows as tuples: two columns may bear the same name, which objects cannot."""
    if not rows.num_columns:
        return []
    return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))


def plain(value: Any, /) -> Any:
    """Return a value as JSON knows it: times as ISO 8601 in UTC, bytes as hexadecimal digits."""
    import datetime as dt
    import math

    from casetrack.provenance import iso_utc

    if isinstance(value, dt.datetime):
        return iso_utc(value) if value.tzinfo is not None else value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
