"""DuckDB, opened in one way: in memory, in UTC, with limits; and the texts of ``*.sql``."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    import pyarrow as pa

# Values that a statement is given, as DuckDB takes them.

_KNOWN = (str, bytes, bytearray, bool, int, float, type(None))


def plain(value: Any, /) -> Any:
    """Return a value of Python for one of NumPy, pandas, Polars or Arrow; others as they are.

    Sets become lists, paths text, and a frame the list of its rows.

    Examples
    --------
    >>> plain({"rows": ({"a"}, PurePath("b/c"))})
    {'rows': [['a'], 'b/c']}
    """
    if isinstance(value, _KNOWN):
        return value
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dicts() if hasattr(value, "to_dicts") else value.to_dict("records")
    for name in ("to_pylist", "as_py", "to_list", "tolist"):
        convert = getattr(value, name, None)
        if callable(convert):
            return convert()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {key: plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(held) for held in value]
    return value


def refused(values: Mapping[str, Any], said: str, /) -> QueryError | None:
    """Return the error to show where DuckDB cannot take a value; ``None`` if that is not it.

    Parameters
    ----------
    values
        The values by name.
    said
        What DuckDB said.
    """
    found = re.search(r"Unable to transform python value of type '<class '([\w.]+)'>'", said)
    if found is None:
        return None
    kind = found[1].rpartition(".")[2]
    names = [f"${name}" for name, value in values.items() if type(value).__name__ == kind]
    return QueryError(
        f"The value of {names[0] if names else 'a parameter'} holds a {found[1]}, which SQL cannot "
        "take.",
        hint="Give numbers, texts, dates, lists, or dictionaries of these; a frame is taken as the "
        "list of its rows.",
    )


TIMEOUT_SECONDS = 60.0
MEMORY_MB = 1024
"""What a statement may take, unless the settings say otherwise."""
_SCHEMA = re.compile(r"\bthis\.")
_NUMBER = re.compile(r"_this\b")


def connect(*, memory_mb: int = MEMORY_MB) -> duckdb.DuckDBPyConnection:
    """Open an in-memory DuckDB in UTC with limits; the one place that does.

    Parameters
    ----------
    memory_mb
        MiB that it may take.
    """
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": 2,
            "memory_limit": f"{memory_mb}MiB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "temp_directory": "",
            # Otherwise settings and errors tell the user's home folder.
            "allow_persistent_secrets": "false",
            "secret_directory": "none",
            "extension_directory": "none",
            # With the place of a mistake, which the text alone does not always have.
            "errors_as_json": "true",
        },
    )
    # For its cursors as well.
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    # In a notebook DuckDB's bar would stand in the output. Where ipywidgets is missing it draws
    # none, and this setting is refused.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection


def sql_text(name: str, /, *, schema: str = "", number: int = 1) -> str:
    """Return the text of ``casetrack/store/sql/NAME.sql`` for one collection.

    Parameters
    ----------
    name
        Of the file.
    schema
        Where it defines its names, quoted if need be; the files write ``this.`` for it. Without one
        the names are looked for wherever DuckDB looks.
    number
        Of the collection among those that the statement may read; the files end the names that are
        registered from Python with ``_this``.
    """
    numbered = _NUMBER.sub(f"_{number}", _file(name))
    return _SCHEMA.sub(lambda _: schema and f"{schema}.", numbered)


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")


def quoted(name: str, /) -> str:
    """Return a name as SQL writes it, whatever characters it has."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


# Rows as Arrow can hold them and others can take them: values, whole numbers, names.

_CHANGED = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \b(UHUGEINT|BIT|TIME\ WITH\ TIME\ ZONE)\b""", re.VERBOSE
)


def faithful(relation: duckdb.DuckDBPyRelation, /) -> duckdb.DuckDBPyRelation:
    """Return a relation whose values Arrow can hold.

    Arrow has no bit strings and no whole numbers above 128 bits with a sign, and its times of day
    have no zone: DuckDB hands over other bytes, negative numbers and no zone.
    """
    before = [str(kind) for kind in relation.types]
    after = [_CHANGED.sub(lambda m: "VARCHAR" if m[1] else m[0], kind) for kind in before]
    if before == after:
        return relation
    columns = zip(relation.columns, before, after, strict=True)
    return relation.project(
        ", ".join(
            (f"#{i}" if old == new else f"CAST(#{i} AS {new})") + f" AS {quoted(name)}"
            for i, (name, old, new) in enumerate(columns, start=1)
        )
    )


def whole_numbers(table: pa.Table, kinds: Sequence[object], /) -> pa.Table:
    """Return a table whose whole numbers are ``int64`` wherever they fit.

    The sum of whole numbers has 128 bits in DuckDB, a decimal in Arrow, and is an object in pandas.

    Parameters
    ----------
    table
        The rows.
    kinds
        DuckDB's types of the columns.
    """
    import pyarrow as pa

    for i, kind in enumerate(kinds):
        if str(kind) == "HUGEINT":
            with contextlib.suppress(pa.ArrowInvalid):
                whole = table.column(i).cast(pa.int64())
                table = table.set_column(i, table.column_names[i], whole)
    return table


def each_named(table: pa.Table, /) -> pa.Table:
    """Return a table whose columns have different names: ``name``, ``name_1`` and so on.

    DuckDB names the columns of a table so. Frames, JSON and Parquet have no two of a name.
    """
    taken, names = set(table.column_names), list[str]()
    for name in table.column_names:
        free, number = name, 0
        while free in names or (number and free in taken):
            number += 1
            free = f"{name}_{number}"
        names.append(free)
    return table if names == table.column_names else table.rename_columns(names)
