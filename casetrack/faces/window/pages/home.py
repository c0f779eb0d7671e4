"""The first page: the collections, what is in them, and making one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.api.collection.listing import listing
from casetrack.base.errors import CaseTrackError
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo, CollectionStats
    from casetrack.faces.window.visit import Visit

_SHOWN = 8
"""Documents on the first page of a collection."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A collection in the list: its facts, and how much it holds.

    Attributes
    ----------
    info
        Its facts.
    stats
        How much it holds; ``None`` where it cannot be opened.
    problem
        Why it cannot be opened, and what to do.
    """

    info: CollectionInfo
    stats: CollectionStats | None
    problem: str = ""


def home(visit: Visit, /) -> Response:
    """List the collections."""
    infos, damaged = visit.library.listed()
    return visit.page(
        "home.html",
        shelves=[_shelf(visit.library, info) for info in infos],
        sealed=visit.library.sealed(),
        damaged=[(folder.name, reason) for folder, reason in damaged],
        folder=visit.library.settings.data_dir,
        most=visit.library.entitlements.tier.collections,
        tier=visit.library.entitlements.tier.title,
        running=[job for job in visit.library.jobs.list() if job.active],
    )


def create(visit: Visit, /) -> Response:
    """Make a collection, and show it."""
    made = visit.library.create(visit.sent("name"))
    return visit.see(address("c", made.name))


def overview(visit: Visit, /) -> Response:
    """Show what a collection holds, with the box to ask it."""
    collection = visit.collection
    return visit.page(
        "overview.html",
        collection=collection,
        info=collection.info,
        stats=collection.stats(),
        documents=listing(collection.workspace.state(), sort_by="date", limit=_SHOWN).documents,
    )


def _shelf(library: Library, info: CollectionInfo) -> Shelf:
    try:
        return Shelf(info, library.stats(info))
    except CaseTrackError as error:
        return Shelf(info, None, f"{error.message} {error.hint}")


PAGES = (
    Page("home", "/", home),
    Page("create", "/collections", create, "POST"),
    Page("overview", "/c/{collection}", overview),
)
