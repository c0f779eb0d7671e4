"""Earlier states of a collection: kept under a name, brought back, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.history import EarlierStates
from casetrack.faces.window.asking import answered, given_of
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit


def snapshots(visit: Visit, /) -> Response:
    """List the states that the collection can go back to."""
    result = answered(visit, EarlierStates.snapshots, given_of(visit, EarlierStates.snapshots))
    return visit.page("snapshots.html", snapshots=result)


def restore(visit: Visit, /) -> Response:
    """Start to restore a state, and show its progress."""
    collection = visit.collection
    (name,) = given_of(visit, EarlierStates.restore).values()
    job = begin(
        visit.library,
        "restore",
        lambda tell, stop: collection.admin.restore(name, progress=tell, cancel=stop),
        title=f"Restore of {name}",
        collection=collection.info,
    )
    return visit.see(address("jobs", job))


PAGES = (
    Page("snapshots", "snapshots", snapshots, of=("snapshots",), title="snapshots.title"),
    Page("restore", "snapshots", restore, "POST"),
)
