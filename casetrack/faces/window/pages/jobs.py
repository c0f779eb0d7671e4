"""Long work: how far it is, what came of it, and a way to stop it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.base.records.jobs import Job
    from casetrack.faces.window.visit import Visit

_LISTED = 100
_FINE = frozenset({"ingested", "updated", "unchanged", "moved"})
_KNOWN = "duplicate"
"""Why a file was passed over of which nothing needs to be said."""


def jobs(visit: Visit, /) -> Response:
    """List the work of all programs, what runs first."""
    return visit.page("jobs.html", jobs=visit.library.jobs.list()[:_LISTED])


def job(visit: Visit, /) -> Response:
    """Show one piece of work; the page asks for it again as long as it runs."""
    found = visit.library.jobs.get(visit.request.path_params["job"])
    then = visit.asked("then")
    return visit.page(
        "job.html",
        job=found,
        share=_share(found),
        attention=_attention(found),
        then=then if then.startswith("/c/") else "",
    )


def stop(visit: Visit, /) -> Response:
    """Ask a piece of work to end."""
    found = visit.library.jobs.request_cancel(visit.request.path_params["job"])
    return visit.see(address("jobs", found.id))


def _share(job: Job) -> int | None:
    """Return how much is done, in percent, where that is known."""
    return round(100 * job.done / job.total) if job.total else None


def _attention(job: Job) -> list[dict[str, str]]:
    """Return the files that did not come in whole, with the reason."""
    outcomes = (job.result or {}).get("outcomes", [])
    return [
        {"name": Path(each["path"]).name, "why": f"{each['message']} {each['hint']}".strip()}
        for each in outcomes
        if each["status"] not in _FINE and each["code"] != _KNOWN
    ]


PAGES = (
    Page("jobs", "/jobs", jobs),
    Page("job", "/jobs/{job}", job),
    Page("stop-job", "/jobs/{job}/stop", stop, "POST"),
)
