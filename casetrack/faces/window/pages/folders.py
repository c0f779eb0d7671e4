"""Choosing a folder of this computer by clicking, where a browser alone tells no paths."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.folders import within
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

_PLACES = ("", "Documents", "Desktop", "Downloads")


def choose(visit: Visit, /) -> Response:
    """Show the folders of a folder, each with a link into it, and one that takes this one."""
    collection = visit.collection
    at = Path(visit.asked("at") or Path.home()).expanduser().absolute()
    found = within(at)
    home = Path.home()
    return visit.page(
        "folders.html",
        collection=collection,
        at=at,
        above=[*reversed(at.parents)],
        within=found,
        places=[p for p in (home / name for name in _PLACES) if p.is_dir() and p != at],
        roots=[Path(root) for root in os.listdrives()] if hasattr(os, "listdrives") else [],
        taken=address("c", collection.name, "add", path=at),
    )


PAGES = (Page("folders", "/c/{collection}/choose", choose),)
