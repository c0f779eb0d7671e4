"""Folders that a collection is kept in step with: how they are doing, and what to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.api.watch.watch_list import WatchList
    from casetrack.base.records.watches import Watch, WatchStatus
    from casetrack.faces.window.visit import Visit

_BUSY = frozenset({"starting", "queued", "settling", "syncing"})
_SOON = "unwatched"


@dataclass(frozen=True, slots=True)
class Watched:
    """A watched folder.

    Attributes
    ----------
    watch, status
        What was asked for, and how it is doing.
    state
        The name of its state among the window's texts.
    counts
        What became of the files of the last comparison, in words.
    """

    watch: Watch
    status: WatchStatus
    state: str
    counts: str


def folders(visit: Visit, /) -> Response:
    """List the folders of a collection; the page asks for itself again while one is at work."""
    found = [_watched(visit, watch) for watch in _list(visit).watches(visit.collection.info.id)]
    return visit.page(
        "watched.html",
        collection=visit.collection,
        watched=found,
        busy=any(each.state in _BUSY for each in found),
    )


def change(visit: Visit, /) -> Response:
    """Pause, go on, compare now, or leave a folder; its documents stay."""
    watches, collection = _list(visit), visit.collection
    watch = watches.find(visit.sent("watch"), collection_id=collection.info.id)
    match visit.sent("do"):
        case "pause":
            watches.change(watch.id, enabled=False)
        case "resume":
            watches.change(watch.id, enabled=True)
        case "mirror" | "keep" as what:
            watches.change(watch.id, auto_remove_deleted=what == "mirror")
        case "remove":
            watches.remove({watch.id})
        case "now":
            return visit.see(address("jobs", _compare(visit, watch)))
        case what:
            raise UsageError(visit.texts("watched.unknown", what=what), hint="")
    return visit.see(address("c", collection.name, "folders"))


def _compare(visit: Visit, watch: Watch) -> str:
    collection = visit.collection
    return begin(
        visit.library,
        "sync",
        lambda tell, stop: collection.sync(
            watch.folder,
            remove_deleted=watch.auto_remove_deleted,
            recursive=watch.recursive,
            include=watch.include,
            exclude=watch.exclude,
            extensions=watch.file_extensions,
            progress=tell,
            cancel=stop,
        ),
        title=f"Sync of {watch.folder}",
        collection=collection.info,
    )


def _list(visit: Visit) -> WatchList:
    from casetrack.api.watch.watch_list import WatchList

    return WatchList(visit.library.settings.data_dir)


def _watched(visit: Visit, watch: Watch) -> Watched:
    from casetrack.api.watch.statuses import Statuses, counts_text

    status = Statuses(visit.library.settings.data_dir).of(watch)
    # This window watches by itself: what it has not come to yet, it is about to.
    here = status.health == _SOON and not visit.read_only
    state = "starting" if here else status.health
    return Watched(watch, status, state, counts_text(status.counts) if status.last_sync_at else "")


PAGES = (
    Page("watched", "/c/{collection}/folders", folders),
    Page("change-watched", "/c/{collection}/folders", change, "POST"),
)
