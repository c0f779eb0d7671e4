"""Runs SQL statements in a separate process that can be killed.

DuckDB checks limits only between units of work, and one unit can take minutes and all memory; a
server must survive that. The process is ``casetrack query``, with its guard, limits and errors. It
is kept for the next statement, unless it was killed or keeps much memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
from functools import partial
from typing import IO, TYPE_CHECKING, Any, cast

import anyio

from casetrack.base.errors import QueryError
from casetrack.base.machine import own_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedReader

    from casetrack.base.config import Settings
    from casetrack.base.records import CollectionInfo

_MOST_BYTES = 4 << 20
_MOST_FILE = 256 << 20
_LICENSE = "CASETRACK_LICENSE"
_together = anyio.CapacityLimiter(2)
"""Maximum number of processes; each can use as much memory as one statement."""
_spares: dict[str, subprocess.Popen[bytes]] = {}
"""The idle process of a data folder, because its start takes most of the time."""
_MOST_KEPT = 512 << 20
"""Maximum memory of an idle process, in bytes."""


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
    """Return the output of the process and its exit code, and keep a process for the next."""
    home = str(settings.data_dir)
    command = ["--data-dir", home, "query", "--collection", info.id, *options, "--", statement]
    async with _together:
        process = _spares.pop(home, None)
        if process is None or process.poll() is not None:
            process = _start(settings)
        try:
            return await anyio.to_thread.run_sync(
                partial(_talk, process, command, most), abandon_on_cancel=True
            )
        except BaseException:
            _end(process)
            raise
        finally:
            if process.poll() is not None or own_bytes(process.pid) > _MOST_KEPT:
                _end(process)
                process = _start(settings)
            if other := _spares.get(home):
                _end(other)
            _spares[home] = process


def _end(process: subprocess.Popen[bytes]) -> None:
    with process:  # closes its pipes and waits for it
        process.kill()


def _start(settings: Settings) -> subprocess.Popen[bytes]:
    """Start a process that imports all modules and waits for statements."""
    environment = {**os.environ, "CASETRACK_MODELS": str(settings.models_dir)}
    if settings.license_option is not None:
        environment[_LICENSE] = settings.license_option
    return subprocess.Popen(
        [sys.executable, "-m", "casetrack.faces.cli.query.waiting"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _talk(process: subprocess.Popen[bytes], command: Sequence[str], most: int) -> tuple[bytes, int]:
    """Return the output of a process for a command, and its exit code.

    Raises ``QueryError`` if the output is larger than *most* bytes.
    """
    mark = secrets.token_hex(16)
    given, rows = cast("IO[bytes]", process.stdin), cast("BufferedReader", process.stdout)
    with contextlib.suppress(BrokenPipeError):
        given.write(json.dumps([mark, *command]).encode() + b"\n")
        given.flush()
    output, end = bytearray(), mark.encode()
    while part := rows.read1():
        output += part
        if output[-len(end) - 3 : -3] == end:
            return bytes(output[: -len(end) - 3]), int(output[-3:])
        if len(output) > most:
            raise QueryError(
                f"The rows are more than {most >> 20} MB of text.",
                hint="Select fewer columns or rows, or the beginning of long texts: "
                "substr(text, 1, 300).",
            )
    return bytes(output), process.wait()


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
