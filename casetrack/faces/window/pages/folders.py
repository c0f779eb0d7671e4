"""Choosing a folder of this computer by clicking, where a browser alone tells no paths."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import FileNotFound, FileUnreadable
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

_MOST = 1000
"""Folders that are listed of one folder."""
_PLACES = ("", "Documents", "Desktop", "Downloads")


@dataclass(frozen=True, slots=True)
class Within:
    """What lies in a folder.

    Attributes
    ----------
    folders
        Those that are not hidden, by name.
    files
        How many files lie in it that can be read, and not in the folders below.
    more
        How many folders are not listed.
    """

    folders: tuple[Path, ...]
    files: int
    more: int


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


def within(folder: Path, /) -> Within:
    """Return what lies in a folder.

    Raises
    ------
    FileNotFound
        There is no such folder.
    FileUnreadable
        It may not be looked into.
    """
    from casetrack.parse import known_extensions

    if not folder.is_dir():
        raise FileNotFound(folder)
    known = known_extensions()
    folders: list[str] = []
    files = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if _is_folder(entry):
                    folders.append(entry.name)
                elif entry.name.lower().endswith(known):
                    files += 1
    except OSError as error:
        raise FileUnreadable(folder, error.strerror or str(error)) from error
    folders.sort(key=str.casefold)
    listed = tuple(folder / name for name in folders[:_MOST])
    return Within(listed, files, max(0, len(folders) - _MOST))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


PAGES = (Page("folders", "/c/{collection}/choose", choose),)
