"""Going on with the work of servers that were told to end before it was done.

An AI program ends its servers with itself, also in the middle of an ingest of hours. What was
finished is kept; the next server makes the same call again, under the id of the same job.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from casetrack.base.errors import UsageError
from casetrack.faces.mcp.session import in_thread

if TYPE_CHECKING:
    from casetrack.base.records.jobs import Job
    from casetrack.faces.mcp.catalogue import Catalogue
    from casetrack.faces.mcp.handlers import Caller
    from casetrack.faces.mcp.session import Session

logger = logging.getLogger("casetrack.mcp")

DELAY_SECONDS = 3.0
"""A server that is only asked for its tools, and ends, begins nothing."""


async def go_on(call_tool: Caller, tools: Catalogue, session: Session, /) -> None:
    """Begin again what earlier servers left unfinished, as far as this one has the tools."""
    await anyio.sleep(DELAY_SECONDS)
    for job in await in_thread(session.library.jobs.left):
        call = _call_of(tools, session, job)
        if call is None:
            continue
        running = await anyio.to_thread.run_sync(partial(session.library.jobs.go_on, job))
        if running is None:  # another server was faster
            continue
        logger.info("%s goes on: %s", job.id, job.title)
        result = await call_tool(*call, again=running)
        if session.jobs.find(job.id) is None:  # it did not even begin
            told = "".join(getattr(part, "text", "") for part in getattr(result, "content", ()))
            error = UsageError(f"It could not go on. {told}".strip())
            await anyio.to_thread.run_sync(partial(running.end, error))


def _call_of(tools: Catalogue, session: Session, job: Job, /) -> tuple[str, dict[str, Any]] | None:
    """Return the call that goes on with a job; ``None`` where this server is not to make it.

    What a record says is not believed: only tools that add or renew are called, never one that
    deletes.
    """
    said = job.call or {}
    name, arguments = said.get("tool"), said.get("arguments")
    spec = tools.specs.get(name) if isinstance(name, str) else None
    if spec is None or not isinstance(arguments, dict) or said.get("edition") != session.edition:
        return None
    if spec.hints.read_only or spec.hints.destructive:
        return None
    return str(name), arguments
