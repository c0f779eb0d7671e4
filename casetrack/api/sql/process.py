"""Runs a SQL statement in a separate process that can be killed.

DuckDB checks limits only between units of work, and one unit can take minutes and all memory; a
server must survive that. The process is ``casetrack query``, with its guard, limits and errors;
after a statement the next one is started and waits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from typing import IO, TYPE_CHECKING, Any, cast

import anyio

from casetrack.base.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.config import Settings
    from casetrack.base.records import CollectionInfo

_MOST_BYTES = 4 << 20
_MOST_FILE = 256 << 20
_LICENSE = "CASETRACK_LICENSE"
_together = anyio.CapacityLimiter(2)
"""Maximum number of processes; each can use as much memory as one statement."""
_spares: dict[str, subprocess.Popen[bytes]] = {}
"""The process for the next statement on a data folder, because its start takes most of the time."""


async def rows_of(
    settings: Settings, info: CollectionInfo, statement: str, /, *, limit: int
) -> list[dict[str, Any]]:
    """Return the first *limit* rows of a reading statement, each by the names of its columns.

    Cancelling the call ends the process. Raises ``QueryError`` if it is not a single reading
    statement, has a mistake, exceeds the limit of time or memory, or its rows are more than 4 MB of
    text.
    """
    options = ["--limit", str(limit), "--json"]
    return _rows(*await _answer(settings, info, statement, options, _MOST_BYTES))


async def csv_of(settings: Settings, info: CollectionInfo, statement: str, /) -> bytes:
    """Return all rows of a reading statement as CSV, with cells that no program runs as a formula.

    Raises ``QueryError`` as :func:`rows_of`, for more than 256 MB.
    """
    output, code = await _answer(settings, info, statement, ["--format", "csv"], _MOST_FILE)
    if code:
        raise QueryError(
            "The rows could not be written.", hint="Run the statement; its page shows the error."
        )
    return output


async def _answer(
    settings: Settings, info: CollectionInfo, statement: str, options: Sequence[str], most: int
) -> tuple[bytes, int | None]:
    """Return the output of the process and its exit code; then start one for the next statement."""
    command = ["--data-dir", str(settings.data_dir), "query", "--collection", info.id]
    given = json.dumps([*command, *options, "--", statement]).encode() + b"\n"
    async with _together:
        process = _spares.pop(str(settings.data_dir), None)
        if process is None or process.poll() is not None:
            process = _start(settings)
        try:
            return await anyio.to_thread.run_sync(
                partial(_talk, process, given, most), abandon_on_cancel=True
            )
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            _spares[str(settings.data_dir)] = _start(settings)


def _start(settings: Settings) -> subprocess.Popen[bytes]:
    """Start a process that waits for a statement, with all modules imported."""
    environment = {**os.environ, "CASETRACK_MODELS": str(settings.models_dir)}
    if settings.license_option is not None:
        environment[_LICENSE] = settings.license_option
    return subprocess.Popen(
        [sys.executable, "-m", "casetrack.api.sql.waiting"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _talk(process: subprocess.Popen[bytes], given: bytes, most: int) -> tuple[bytes, int]:
    """Return the output of a process for a statement, and its exit code.

    Raises ``QueryError`` if the output is larger than *most* bytes.
    """
    with cast("IO[bytes]", process.stdin) as arguments, cast("IO[bytes]", process.stdout) as rows:
        arguments.write(given)
        arguments.flush()
        output = rows.read(most + 1)
    if len(output) > most:
        raise QueryError(
            f"The rows are more than {most >> 20} MB of text.",
            hint="Select fewer columns or rows, or the beginning of long texts: "
            "substr(text, 1, 300).",
        )
    return output, process.wait()


def _rows(output: bytes, code: int | None) -> list[dict[str, Any]]:
    """Return the rows from the output of the process, or raise its error."""
    try:
        answer = json.loads(output)
    except ValueError:
        raise QueryError(
            f"The process of the statement ended without an answer (exit code {code}).",
            hint="If the computer ran out of memory, select fewer rows and try again.",
        ) from None
    if isinstance(answer, dict):
        error = answer["error"]
        raise QueryError(error["message"], hint=error["hint"])
    rows: list[dict[str, Any]] = answer
    return rows
