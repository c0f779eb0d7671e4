"""Runs a SQL statement in a separate process that can be killed.

DuckDB checks limits only between units of work, and one unit can take minutes and all memory; a
server must survive that. The process is ``casetrack query``, with its guard, limits and errors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio

from casetrack.base.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.abc import ByteReceiveStream, Process

    from casetrack.base.config import Settings
    from casetrack.base.records import CollectionInfo

_MOST_BYTES = 4 << 20
_MOST_FILE = 256 << 20
_LICENSE = "CASETRACK_LICENSE"
_together = anyio.CapacityLimiter(2)
"""Maximum number of processes; each can use as much memory as one statement."""


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
    """Return the output of the process and its exit code."""
    command = [sys.executable, "-m", "casetrack", "--data-dir", str(settings.data_dir), "query"]
    command += ["--collection", info.id, *options, "--", statement]
    environment = {**os.environ, "CASETRACK_MODELS": str(settings.models_dir)}
    if settings.license_option is not None:
        environment[_LICENSE] = settings.license_option
    async with (
        _together,
        await anyio.open_process(
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        ) as process,
    ):
        try:
            return await _read(process, most), await process.wait()
        except BaseException:
            process.kill()
            raise


async def _read(process: Process, most: int) -> bytes:
    """Return the output of a process.

    Raises ``QueryError`` if the output is larger than *most* bytes.
    """
    output = bytearray()
    stream: ByteReceiveStream | None = process.stdout
    if stream is not None:
        async for part in stream:
            output += part
            if len(output) > most:
                raise QueryError(
                    f"The rows are more than {most >> 20} MB of text.",
                    hint="Select fewer columns or rows, or the beginning of long texts: "
                    "substr(text, 1, 300).",
                )
    return bytes(output)


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
