"""Tools for long work that goes on in the background: how far it is, and stopping it."""

from functools import partial
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import outputs
from casetrack.mcp.failures import error_text
from casetrack.mcp.jobs import (
    LONGEST_WAIT,
    LiveJob,
    job_facts,
    known_job,
    progress_text,
    wait_for_other,
)
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread
from casetrack.mcp.specs import READS, SWITCHES, tool
from casetrack.records.jobs import Job

LISTED_JOBS = 20


class JobTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Job status",
        READS,
        description="Returns how far long work is (ingestion, sync, reindex ...), its estimated "
        "time and, when it is done, its result, the same as the tool would have returned. Without "
        "job_id: the jobs that run now or ended lately, those of other programs too. With "
        "wait_seconds it waits for the end and reports progress.",
    )
    async def get_job_status(
        self,
        ctx: Context,
        job_id: Annotated[
            str | None, Field(description="Job ID such as j-7f3a2c (default: list all)")
        ] = None,
        wait_seconds: Annotated[
            int,
            Field(
                ge=0,
                le=LONGEST_WAIT,
                description="Wait so long for the end; 50 is safe (default: 0)",
            ),
        ] = 0,
    ) -> Annotated[CallToolResult, outputs.JobsOutput]:
        """Show one job, or list them."""
        if job_id is None:
            return _list(await in_thread(self._session.library.jobs.list))
        job, live = await known_job(self._session, job_id)
        if live is not None:
            await live.wait(ctx, wait_seconds)
            return _status(live.running.job, live)
        return _status(await wait_for_other(self._session, ctx, job, wait_seconds), None)

    @tool(
        "Cancel job",
        SWITCHES,
        description="Stop long work, whichever program does it. It ends after the document or step "
        "at hand; everything finished is kept, and running the same work again goes on from there. "
        "Returns the job.",
    )
    async def cancel_job(
        self,
        job_id: Annotated[str, Field(description="Job ID such as j-7f3a2c")],
    ) -> Annotated[CallToolResult, outputs.JobsOutput]:
        """Ask a job to end."""
        job, live = await known_job(self._session, job_id)
        if not job.active:
            return _answer(f"{job.id} has ended already: {job.state}.", [job])
        if live is not None:
            live.stop.set()
        else:
            await in_thread(partial(self._session.library.jobs.request_cancel, job.id))
        text = (
            f"Asked {job.id} to stop: {job.title}. It ends after the step at hand; what is "
            "finished is kept. get_job_status shows how it ended."
        )
        return _answer(text, [job])


def _answer(
    text: str, jobs: list[Job], *, omitted: int = 0, result: dict[str, Any] | None = None
) -> CallToolResult:
    facts = [job_facts(job) for job in jobs]
    return answer(text, {"jobs": facts, "jobs_omitted": omitted, "result": result})


def _list(found: tuple[Job, ...]) -> CallToolResult:
    shown = list(found[:LISTED_JOBS])
    if not shown:
        return _answer("There are no jobs.", [])
    lines = [_line(job) for job in shown]
    if len(found) > len(shown):
        lines.append(f"... {len(found) - len(shown):,} older")
    return _answer("\n".join(lines), shown, omitted=len(found) - len(shown))


def _line(job: Job) -> str:
    where = f' in "{job.collection}"' if job.collection else ""
    far = f": {progress_text(job)}" if job.active else ""
    return f"- {job.id} {job.state}, {job.title}{where}{far}"


def _status(job: Job, live: LiveJob | None) -> CallToolResult:
    """Return one job with its result: this server's own answer, else what its record has."""
    text, result = _line(job).removeprefix("- "), job.result
    if job.error is not None:
        text += f".\n\n{error_text(job.error['code'], job.error['message'], job.error['hint'])}"
    if live is not None and live.answer is not None:
        said = "\n".join(getattr(block, "text", "") for block in live.answer.content)
        text += f".\n\n{said}"
        result = live.answer.structured_content or result
    return _answer(text, [job], result=result)
