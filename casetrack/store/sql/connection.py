"""DuckDB, opened in one way: in memory, in UTC, with limits; and the texts of ``*.sql``."""

from __future__ import annotations

import contextlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

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
