"""The tool that says how the server is."""

import platform
from typing import Annotated, TypedDict

from mcp.types import CallToolResult

from casetrack import __version__
from casetrack.faces.mcp.jobs import job_facts, progress_text
from casetrack.faces.mcp.outputs import Facts, JobOutput
from casetrack.faces.mcp.render.pieces import home_path, one_line, size
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.specs import READS, tool
from casetrack.faces.mcp.tools.status import ProfileStatus, StatusTools


class CaseStatusOutput(TypedDict):
    """The state of the server; ``jobs`` are those that wait or run now, of any program."""

    version: str
    tier: str
    license_notes: list[str]
    active_case: str | None
    cases: int
    cases_bytes: int
    data_dir: str
    models_dir: str
    models_bytes: int
    profiles: list[ProfileStatus]
    memory_used: int
    memory_total: int
    system: str
    jobs: list[JobOutput]


class CaseStatusTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._any = StatusTools(session)

    @tool(
        "Server status",
        READS,
        description="Get CaseTrack server status including version, license tier, loaded models, "
        "and storage usage.",
        sets=("core", "legal"),
    )
    async def get_status(self) -> Annotated[CallToolResult, CaseStatusOutput]:
        """Describe the server."""
        return await in_thread(self._described)

    def _described(self) -> CallToolResult:
        import psutil

        library, active = self._session.library, self._session.active
        any_status = self._any.status()
        jobs = [job for job in library.jobs.list() if job.active]
        models = library.settings.models_dir
        status: Facts = {
            "version": __version__,
            "tier": any_status["tier"],
            "license_notes": any_status["license_notes"],
            "active_case": active.name if active else None,
            "cases": any_status["collections"],
            "cases_bytes": any_status["storage_bytes"],
            "data_dir": any_status["data_dir"],
            "models_dir": any_status["models_dir"],
            "models_bytes": sum(f.stat().st_size for f in models.rglob("*") if f.is_file()),
            "profiles": any_status["profiles"],
            "memory_used": psutil.Process().memory_info().rss,
            "memory_total": psutil.virtual_memory().total,
            "system": f"{platform.system()} {platform.release()} ({platform.machine()})",
            "jobs": [job_facts(job) for job in jobs],
        }
        going = [f"  {one_line(job.title)}: {progress_text(job)}" for job in jobs]
        return answer(_text(status, going), status)


def _text(status: Facts, going: list[str]) -> str:
    models = [f"  {p['name']}: {_state(p)}" for p in status["profiles"]]
    lines = [
        f"CaseTrack v{status['version']}",
        "",
        f"License: {status['tier'].capitalize()}",
        *(f"License note: {note}" for note in status["license_notes"]),
        f"Active Case: {status['active_case'] or 'none'}",
        "",
        "Models:",
        *models,
        "  BM25: Ready (algorithmic)",
        "",
        f"Storage: {home_path(status['data_dir'])}/",
        f"  Models: {size(status['models_bytes'])}",
        f"  Cases: {status['cases']:,} ({size(status['cases_bytes'])} total)",
        f"  Total: {size(status['models_bytes'] + status['cases_bytes'])}",
        "",
        "System:",
        f"  RAM: {size(status['memory_used'])} used / {size(status['memory_total'])} in all",
        f"  OS: {status['system']}",
        *(["", "At work:", *going] if going else []),
    ]
    return "\n".join(lines)


def _state(profile: Facts) -> str:
    if not profile["installed"]:
        return "not installed"
    return "Ready" if profile["loaded"] else "Ready (loaded when first used)"
