"""DuckDB connections: in memory, in UTC, with limits; and the texts of ``*.sql``."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import QueryError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Parameter values in types that DuckDB accepts.

_KNOWN = (str, bytes, bytearray, bool, int, float, type(None))


def plain(value: Any, /) -> Any:
    """Convert values of NumPy, pandas, Polars or Arrow to Python values.

    Sets become lists, paths text, and a data frame the list of its rows.

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


def refused(values: Mapping[str, Any], message: str, /) -> QueryError | None:
    """Return the error for a parameter value that DuckDB refuses with *message*, or ``None``."""
    match = re.search(r"Unable to transform python value of type '<class '([\w.]+)'>'", message)
    if match is None:
        return None
    kind = match[1].rpartition(".")[2]
    names = [f"${name}" for name, value in values.items() if type(value).__name__ == kind]
    return QueryError(
        f"The value of {names[0] if names else 'a parameter'} contains a {match[1]}, which SQL "
        "does not support.",
        hint="Use numbers, texts, dates, lists, or dictionaries of these; a data frame becomes "
        "the list of its rows.",
    )


TIMEOUT_SECONDS = 60.0
MEMORY_MB = 1024
"""Default memory limit of a statement."""
_SCHEMA = re.compile(r"\bthis\.")
_NUMBER = re.compile(r"_this\b")


def connect(*, memory_mb: int = MEMORY_MB) -> duckdb.DuckDBPyConnection:
    """Open an in-memory DuckDB in UTC with limits (MiB); the only function that does."""
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
            # Otherwise settings and errors show the user's home folder.
            "allow_persistent_secrets": "false",
            "secret_directory": "none",
            "extension_directory": "none",
            # Includes the position of a mistake, which the text does not always have.
            "errors_as_json": "true",
        },
    )
    # Also applies to its cursors.
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    # In a notebook DuckDB's progress bar would appear in the output. Without ipywidgets it draws
    # none, and refuses this setting.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection


def sql_text(name: str, /, *, schema: str = "", number: int = 1) -> str:
    """Return the text of ``casetrack/store/sql/NAME.sql`` for one collection.

    *schema*, quoted if necessary, replaces ``this.`` in the file; without one, names follow
    DuckDB's search path. *number* of the collection in a statement replaces the suffix ``_this`` of
    names that are registered from Python.
    """
    numbered = _NUMBER.sub(f"_{number}", _file(name))
    return _SCHEMA.sub(lambda _: schema and f"{schema}.", numbered)


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")


def quoted(name: str, /) -> str:
    """Return a name as a quoted SQL identifier."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


# Results in types that Arrow and its users support: values, integers, column names.

_CHANGED = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \b(UHUGEINT|BIT|TIME\ WITH\ TIME\ ZONE)\b""", re.VERBOSE
)


def faithful(relation: duckdb.DuckDBPyRelation, /) -> duckdb.DuckDBPyRelation:
    """Return a relation whose values Arrow can represent.

    Arrow has no bit strings, no unsigned 128-bit integers, and no time of day with a zone: DuckDB
    would return other bytes, negative numbers and no zone.
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
    """Return a table whose integers are ``int64`` if they fit.

    A sum of integers has 128 bits in DuckDB, is a decimal in Arrow, and an object in pandas.
    *kinds* are DuckDB's types of the columns.
    """
    import pyarrow as pa

    for i, kind in enumerate(kinds):
        if str(kind) == "HUGEINT":
            with contextlib.suppress(pa.ArrowInvalid):
                whole = table.column(i).cast(pa.int64())
                table = table.set_column(i, table.column_names[i], whole)
    return table


def each_named(table: pa.Table, /) -> pa.Table:
    """Return a table with unique column names, ``name``, ``name_1`` and so on, as frames need."""
    taken, names = set(table.column_names), list[str]()
    for name in table.column_names:
        free, number = name, 0
        while free in names or (number and free in taken):
            number += 1
            free = f"{name}_{number}"
        names.append(free)
    return table if names == table.column_names else table.rename_columns(names)
