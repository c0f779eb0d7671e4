"""Runs a statement of SQL in a process of its own, which may be ended.

DuckDB looks at limits between two pieces of work, and a piece may take minutes and all memory; a
server must outlive it. The process is that of ``casetrack query``: its guard, its limits of time
and memory, its error texts.
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
"""Each may take as much memory as one statement is allowed."""


async def rows_of(
    settings: Settings, info: CollectionInfo, statement: str, /, *, limit: int
) -> list[dict[str, Any]]:
    """Return the first *limit* rows of a reading statement, each by the names of its columns.

    A call that is cancelled ends the process.

    Raises
    ------
    QueryError
        It is no single reading statement, has a mistake, took more time or memory than is allowed,
        or its rows are more than 4 MB of text.
    """
    options = ["--limit", str(limit), "--json"]
    return _rows(*await _answer(settings, info, statement, options, _MOST_BYTES))


async def csv_of(settings: Settings, info: CollectionInfo, statement: str, /) -> bytes:
    """Return all rows of a reading statement as CSV, of which no cell runs as a formula.

    Raises
    ------
    QueryError
        As :func:`rows_of`, for more than 256 MB.
    """
    said, code = await _answer(settings, info, statement, ["--format", "csv"], _MOST_FILE)
    if code:
        raise QueryError(
            "The rows could not be written.", hint="Run the statement: its page says why."
        )
    return said


async def _answer(
    settings: Settings, info: CollectionInfo, statement: str, options: Sequence[str], most: int
) -> tuple[bytes, int | None]:
    """Return what the process wrote, and its exit code."""
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
    """Return what a process writes.

    Raises
    ------
    QueryError
        It is more than anybody reads.
    """
    said = bytearray()
    stream: ByteReceiveStream | None = process.stdout
    if stream is not None:
        async for part in stream:
            said += part
            if len(said) > most:
                raise QueryError(
                    f"The rows are more than {most >> 20} MB of text.",
                    hint="Select fewer columns or rows, or the beginning of long texts: "
                    "substr(text, 1, 300).",
                )
    return bytes(said)


def _rows(said: bytes, code: int | None) -> list[dict[str, Any]]:
    """Return the rows that the process wrote, or raise what it says instead."""
    try:
        found = json.loads(said)
    except ValueError:
        raise QueryError(
            f"The process of the statement ended without an answer (exit code {code}).",
            hint="Ask for less, if the computer ran out of memory, and try again.",
        ) from None
    if isinstance(found, dict):
        error = found["error"]
        raise QueryError(error["message"], hint=error["hint"])
    rows: list[dict[str, Any]] = found
    return rows
