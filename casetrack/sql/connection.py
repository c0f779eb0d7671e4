"""DuckDB, opened in one way: in memory, in UTC, with limits; and the texts of ``*.sql``."""

from __future__ import annotations

import re
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

TIMEOUT_SECONDS = 60.0
MEMORY_LIMIT = "1GB"
_SCHEMA = re.compile(r"\bthis\.")
_NUMBER = re.compile(r"_this\b")


def connect() -> duckdb.DuckDBPyConnection:
    """Open an in-memory DuckDB in UTC with limits; the one place that does."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": 2,
            "memory_limit": MEMORY_LIMIT,
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
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def sql_text(name: str, /, *, schema: str = "", number: int = 1) -> str:
    """Return the text of ``casetrack/sql/NAME.sql`` for one collection.

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


class StoppedAfter:
    """Interrupts a connection when the block takes too long.

    Attributes
    ----------
    stopped
        Set when it did; functions that run in Python look at it.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, seconds: float, /) -> None:
        self.stopped = threading.Event()
        self._connection = connection
        self._timer = threading.Timer(seconds, self._stop)
        self._timer.daemon = True

    def _stop(self) -> None:
        self.stopped.set()
        self._connection.interrupt()

    def __enter__(self) -> threading.Event:
        """Start the clock."""
        self._timer.start()
        return self.stopped

    def __exit__(self, *_: object) -> None:
        """Stop the clock."""
        self._timer.cancel()
