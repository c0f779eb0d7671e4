"""Adding documents: a folder or file of this computer, or files that are sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import FileNotFound, UsageError
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.datastructures import UploadFile
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

_PIECE = 2**20
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')


def form(visit: Visit, /) -> Response:
    """Ask what to add, and say how much of it the tier takes."""
    return visit.page(
        "add.html",
        collection=visit.collection,
        folder=_sent_to(visit),
        path=visit.asked("path"),
        room=room_of(visit),
        untaken=visit.collection.workspace.state().untaken(),
        example=Path.home() / "Documents" / "Contracts",
    )


def add(visit: Visit, /) -> Response:
    """Begin to add what was named or sent, and show how far it is."""
    collection, typed, sent = visit.collection, visit.sent("path"), visit.sent_files("files")
    if typed and visit.sent("keep"):
        return _watch(visit, typed)
    if typed:
        paths = [Path(typed).expanduser()]
        if not paths[0].exists():
            raise FileNotFound(paths[0])
    elif sent:
        paths = _written(_sent_to(visit), sent)
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


@dataclass(frozen=True, slots=True)
class Room:
    """How many documents a collection may still take.

    Attributes
    ----------
    tier
        The tier in force, as people read it.
    most
        Documents that a collection may hold in it.
    left
        How many more.
    """

    tier: str
    most: int
    left: int


def room_of(visit: Visit, /) -> Room | None:
    """Return how much room the tier leaves in a collection; ``None`` where it has no limit."""
    collection = visit.collection
    tier = visit.library.entitlements.of_edition(collection.info.edition).tier
    if tier.documents is None:
        return None
    own = sum(document.parent_id is None for document in collection.documents())
    return Room(tier.title, tier.documents, max(0, tier.documents - own))


def _watch(visit: Visit, folder: str) -> Response:
    """Keep the collection in step with a folder from now on; the first comparison begins soon."""
    from casetrack.api.watch.watch_list import WatchList

    watches = WatchList(visit.library.settings.data_dir)
    watches.add(visit.collection.info.id, Path(folder).expanduser())
    return visit.see(address("c", visit.collection.name, "folders"))


def _sent_to(visit: Visit) -> Path:
    """Return where files that are sent are kept: they are documents of the user's from then on."""
    name = _UNSAFE.sub("_", visit.collection.name).strip(". /") or "Collection"
    return visit.library.settings.data_dir / "added" / name.replace("/", "_")


def _written(folder: Path, files: Iterable[UploadFile]) -> list[Path]:
    """Write what was sent below a folder, under its own name, and never over another file."""
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
    number, wanted = 1, path
    while path.exists():
        number += 1
        path = wanted.with_stem(f"{wanted.stem} ({number})")
    return path


PAGES = (
    Page("add", "/c/{collection}/add", form),
    Page("add-now", "/c/{collection}/add", add, "POST"),
)
