"""Adding documents: by folder, by file, and from folders that are watched."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.folders import folder_content
from casetrack.api.watch.watches import Watches
from casetrack.base.errors import FileNotFound, UsageError
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin, missing_meaning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.datastructures import UploadFile
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

# Choose a folder of this computer by clicking, because a browser does not provide paths.

_PLACES = ("", "Documents", "Desktop", "Downloads")


def choose(visit: Visit, /) -> Response:
    """Show the subfolders of a folder as links, and a button that selects it."""
    collection = visit.collection
    at = Path(visit.asked("at") or Path.home()).expanduser().absolute()
    listing = folder_content(at)
    home = Path.home()
    return visit.page(
        "folders.html",
        at=at,
        above=[*reversed(at.parents)],
        within=listing,
        places=[p for p in (home / name for name in _PLACES) if p.is_dir() and p != at],
        roots=[Path(root) for root in os.listdrives()] if hasattr(os, "listdrives") else [],
        taken=address("c", collection.name, "add", path=at),
    )


_PIECE = 2**20
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')


def form(visit: Visit, /) -> Response:
    """Show the form for new files, and the number that the tier still allows."""
    jobs = visit.library.jobs.list(collection_id=visit.collection.info.id)
    return visit.page(
        "add.html",
        folder=_sent_to(visit),
        path=visit.asked("path"),
        room=room_of(visit),
        meaning=missing_meaning(visit),
        untaken=visit.collection.workspace.state().untaken(),
        last=next((job for job in jobs if job.kind in {"ingest", "sync"}), None),
        example=Path.home() / "Documents" / "Contracts",
    )


def add(visit: Visit, /) -> Response:
    """Start adding the named or uploaded files, and show the job."""
    collection, typed, sent = visit.collection, visit.sent("path"), visit.sent_files("files")
    if typed and visit.sent("keep"):
        Watches(visit.library).add(str(Path(typed).expanduser()), collection=collection.info.id)
        return visit.see(address("c", collection.name, "folders"))
    if typed:
        paths = [Path(typed).expanduser()]
        if not paths[0].exists():
            raise FileNotFound(paths[0])
    elif sent:
        paths = written(_sent_to(visit), sent)
    else:
        raise UsageError(visit.texts("adding.nothing"), hint=visit.texts("adding.nothing_hint"))
    shown = paths[0].name if len(paths) == 1 else str(len(paths))
    job = begin(
        visit.library,
        "ingest",
        lambda tell, stop: collection.ingest(paths, progress=tell, cancel=stop),
        title=f"Ingest of {shown}",
        collection=collection.info,
    )
    return visit.see(address("jobs", job))


def room_of(visit: Visit, /) -> dict[str, object] | None:
    """Return the tier, its limit of documents and the remaining number; ``None`` without limit."""
    collection = visit.collection
    tier = visit.library.entitlements.of_edition(collection.info.edition).tier
    if tier.documents is None:
        return None
    own = sum(document.parent_id is None for document in collection.documents())
    return {"tier": tier.title, "most": tier.documents, "left": max(0, tier.documents - own)}


def _sent_to(visit: Visit) -> Path:
    """Return the folder for uploaded files, which then are documents of the user."""
    name = _UNSAFE.sub("_", visit.collection.name).strip(". /") or "Collection"
    return visit.library.settings.data_dir / "added" / name.replace("/", "_")


def written(folder: Path, files: Iterable[UploadFile]) -> list[Path]:
    """Write uploaded files to a folder under their names, without replacing another file."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    paths = []
    for each in files:
        name = _UNSAFE.sub("_", Path(each.filename or "").name).strip(". ") or "file"
        path = _free(folder / name[-200:])
        with path.open("xb") as target:
            while piece := each.file.read(_PIECE):
                target.write(piece)
        paths.append(path)
    return paths


def _free(path: Path) -> Path:
    others = (path.with_stem(f"{path.stem} ({number})") for number in itertools.count(2))
    return next(each for each in itertools.chain([path], others) if not each.exists())


# Watched folders: their state and settings.

_BUSY = frozenset({"starting", "queued", "settling", "syncing"})


def folders(visit: Visit, /) -> Response:
    """List the folders of a collection; the page asks for itself again while one is at work."""
    watches = Watches(visit.library).all(collection=visit.collection.info.id)
    # This window watches by itself, so an unwatched folder is about to be watched.
    soon = "unwatched" if visit.read_only else "starting"
    states = [soon if each.status.health == "unwatched" else each.status.health for each in watches]
    return visit.page(
        "watched.html",
        watched=list(zip(watches, states, strict=True)),
        busy=not _BUSY.isdisjoint(states),
    )


def compare_now(visit: Visit, /) -> Response:
    """Start a sync of a folder with the collection."""
    collection = visit.collection
    watch = Watches(visit.library).show(visit.sent("folder"), collection=collection.name).watch
    job = begin(
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
    return visit.see(address("jobs", job))


PAGES = (
    Page("folders", "choose", choose),
    Page("add", "add", form, of=("ingest",), title="adding.title"),
    Page("add-now", "add", add, "POST"),
    Page("watched", "folders", folders, of=("sync", "watch"), title="watched.title"),
    Page("compare-watched", "folders", compare_now, "POST"),
)
