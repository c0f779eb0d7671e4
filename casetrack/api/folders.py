"""What lies in a folder of this computer, for a user who chooses one to take in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import FileNotFound, FileUnreadable

if TYPE_CHECKING:
    from pathlib import Path

_MOST = 1000
"""Folders that are listed of one folder."""


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
