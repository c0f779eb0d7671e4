"""Tools on the server: how it is, and the long work that goes on in the background."""

import platform
from dataclasses import replace
from typing import Annotated, Any, ClassVar

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import READS
from casetrack.api.text import lines_of
from casetrack.base.errors import CaseTrackError
from casetrack.base.records.cards import size_text
from casetrack.base.records.jobs import Job
from casetrack.faces.mcp import outputs, render
from casetrack.faces.mcp.failures import error_text, reason
from casetrack.faces.mcp.jobs import LONGEST_WAIT, job_facts, known_job, wait_for_other
from casetrack.faces.mcp.live_jobs import LiveJob
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import answer, list_budget, onward, page_of, tokens
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import Offset, tool
from casetrack.faces.mcp.texts import cut
from casetrack.version import __version__

_DAMAGED = 10
_REASON_CHARS = 300


class ServerState(SessionTools):
    """Work of the tool on the server; *noun* names a collection in texts and results."""

    noun: ClassVar = "collection"

    async def _described(self) -> CallToolResult:
        status = await in_thread(self._status)
        return answer(_text(status, self.noun), status)

    def _status(self) -> dict[str, Any]:
        """Return the state of the server and of the collections that it is about."""
        import psutil

        library, active = self._session.library, self._session.active
        license_status, models = library.entitlements.status(), library.settings.models_dir
        infos = self._session.infos()
        damaged: list[dict[str, str]] = [
            {"path": str(path), "reason": str(why)} for path, why in library.damaged()
        ]
        stored = 0
        for info in infos:
            try:
                stored += library.stats(info).storage_bytes
            except CaseTrackError as error:
                # A collection that was deleted or broke meanwhile must not hide the status.
                damaged.append({"path": info.name, "reason": reason(error)})
        return {
            "version": __version__,
            "tier": license_status.tier.name,
            "license_notes": list(license_status.notes),
            "data_dir": str(library.settings.data_dir),
            "models_dir": str(models),
            "profiles": self._profiles(),
            f"active_{self.noun}": active.name if active else None,
            f"active_{self.noun}_id": active.id if active else None,
            f"{self.noun}s": len(infos),
            "damaged": [
                {"path": each["path"], "reason": cut(each["reason"], _REASON_CHARS)}
                for each in damaged[:_DAMAGED]
            ],
            "damaged_count": len(damaged),
            "storage_bytes": stored,
            "models_bytes": sum(f.stat().st_size for f in models.rglob("*") if f.is_file()),
            "memory_used": psutil.Process().memory_info().rss,
            "memory_total": psutil.virtual_memory().total,
            "system": f"{platform.system()} {platform.release()} ({platform.machine()})",
            "jobs": [_facts(job) for job in library.jobs.list() if job.active][:LISTED_JOBS],
        }

    def _profiles(self) -> list[dict[str, Any]]:
        """Return the profiles whose models can run on this machine."""
        from casetrack.base.models.profiles import PROFILES

        library = self._session.library
        folder = library.settings.models_dir
        return [
            {
                "name": profile.name,
                "purpose": profile.purpose,
                "installed": all(
                    (folder / spec.name / file.name).is_file()
                    for spec in profile.models
                    for file in spec.files
                ),
                "loaded": profile.name in library.encoders.loaded,
                "dimension": profile.dimension,
                "licences": sorted({spec.licence for spec in profile.models}),
            }
            for profile in PROFILES
            if profile.models
        ]


def _text(status: dict[str, Any], noun: str) -> str:
    unnamed = status["damaged_count"] - len(status["damaged"])
    profiles = [f"{p['name']} ({_state(p)})" for p in status["profiles"]]
    memory, total = status["memory_used"], status["memory_total"]
    rows = [
        ("Tier", status["tier"].capitalize()),
        *(("License", note) for note in status["license_notes"]),
        ("Models", f"{', '.join(profiles)}; {size_text(status['models_bytes'])}"),
        ("Data folder", status["data_dir"]),
        ("Storage", size_text(status["storage_bytes"])),
        (f"{noun.capitalize()}s", str(status[f"{noun}s"])),
        ("Active", status[f"active_{noun}"] or "none"),
        *(("Damaged", f"{item['path']}: {item['reason']}") for item in status["damaged"]),
        *([("Damaged", f"{unnamed:,} more: see list_{noun}s")] if unnamed else []),
        ("Memory", f"{size_text(memory)} used / {size_text(total)} in all"),
        ("System", status["system"]),
        *(("Running", job["what"]) for job in status["jobs"]),
    ]
    return f"CaseTrack {status['version']}\n\n{render.table(rows)}"


def _state(profile: dict[str, Any]) -> str:
    if not profile["installed"]:
        return "not installed"
    return "loaded" if profile["loaded"] else "installed, loaded when first used"


class StatusTools(ServerState):
    """The tool of this module, for one session."""

    @tool(
        "Server status",
        READS,
        description="Returns version, license tier, models, storage, active and damaged "
        "collections, running work.",
        sets=("legal",),
    )
    async def get_status(self) -> CallToolResult:
        """Describe the server."""
        return await self._described()


# Tools for long work in the background: progress and cancellation.

LISTED_JOBS = 20
_MESSAGE_CHARS = 2_000


class JobTools(SessionTools):
    """The tools of this module, for one session."""

    @tool("Job status", READS, sets=("core", "legal"), of=("jobs list",))
    async def get_job_status(
        self,
        ctx: Context,
        job_id: str | None = None,
        wait_seconds: Annotated[
            int, Field(ge=0, le=LONGEST_WAIT, description="Wait for the end; 50 is safe")
        ] = 0,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Progress of long work. Returns the result when done; without job_id all jobs."""
        if job_id is None:
            jobs = await in_thread(self._session.library.jobs.list)
            running = next((job for job in jobs if job.active), None)
            if running is None or not wait_seconds:
                return _list(jobs, offset)
            job_id = running.id
        job, live = await known_job(self._session, job_id)
        if live is not None:
            await live.wait(ctx, wait_seconds)
            return _status(live.running.job, live)
        return _status(await wait_for_other(self._session, ctx, job, wait_seconds), None)


def job_answer(
    text: str, job: Job, *, result: dict[str, Any] | None = None, more: str | None = None
) -> CallToolResult:
    """Return the answer on a job."""
    facts: dict[str, Any] = {"jobs": [_facts(job)], "more": more}
    if result is not None:
        result, cut_lists = _bounded(result, list_budget(facts))
        if cut_lists:
            facts["more"] = "The lists of the result are cut; its _omitted fields count the rest."
            text += f"\n\n{facts['more']}"
    return answer(text, facts | {"jobs_omitted": 0, "next_offset": None, "result": result})


def _list(jobs: tuple[Job, ...], offset: int) -> CallToolResult:
    entries, after = page_of(jobs, _facts, offset=offset, limit=LISTED_JOBS)
    more = onward(after)
    lines = [_line(job) for job in jobs[offset : offset + len(entries)]]
    text = "\n".join([*lines, *([more] if more else [])])
    return answer(
        text or "There are no jobs.",
        {
            "jobs": entries,
            "jobs_omitted": max(0, len(jobs) - offset - len(entries)),
            "next_offset": after,
            "result": None,
            "more": more,
        },
    )


def _facts(job: Job) -> outputs.Facts:
    """Return the facts of a job, with bounded error messages."""
    error = job.error and {name: cut(text, _MESSAGE_CHARS) for name, text in job.error.items()}
    return job_facts(replace(job, what=cut(job.what, _MESSAGE_CHARS), error=error))


def _bounded(result: dict[str, Any], budget: int) -> tuple[dict[str, Any], bool]:
    """Return a result whose longest lists are cut until it fits, and whether any was cut.

    Jobs of other programs may have longer results. For a cut list ``x``, ``x_omitted`` counts the
    rest.
    """
    shown, was_cut = dict(result), False
    while tokens(shown) > budget:
        lists = [name for name, value in shown.items() if isinstance(value, list) and value]
        if not lists:
            break
        longest = max(lists, key=lambda name: tokens(shown[name]))
        kept = shown[longest][: len(shown[longest]) // 2]
        omitted = len(shown[longest]) - len(kept)
        shown[longest] = kept
        shown[f"{longest}_omitted"] = shown.get(f"{longest}_omitted", 0) + omitted
        was_cut = True
    return shown, was_cut


def _line(job: Job) -> str:
    return plain(lines_of(replace(job, what=cut(job.what, _MESSAGE_CHARS))))


def _status(job: Job, live: LiveJob | None) -> CallToolResult:
    """Return one job with its result, from this server's answer or else from its record."""
    text, result = _line(job), job.result
    if job.error is not None:
        message, hint = (cut(job.error[part], _MESSAGE_CHARS) for part in ("message", "hint"))
        text += f".\n\n{error_text(job.error['code'], message, hint)}"
    if live is not None and live.answer is not None:
        answer_text = "\n".join(getattr(block, "text", "") for block in live.answer.content)
        text += f".\n\n{answer_text}"
        result = live.answer.structured_content or result
    return job_answer(text, job, result=result)
