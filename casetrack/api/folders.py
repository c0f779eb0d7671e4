"""Content of folders on this computer, and detection of changes in the data folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from casetrack.base.errors import FileNotFound, FileUnreadable
from casetrack.store.folders import commit_stamp
from casetrack.store.info import FILE

_MOST = 1000
"""Maximum number of listed folders in one folder."""


@dataclass(frozen=True, slots=True)
class FolderContent:
    """Content of a folder.

    *folders* are sorted by name, without hidden ones; *files* is the number of readable files
    without subfolders; *more* is the number of folders that are not listed.
    """

    folders: tuple[Path, ...]
    files: int
    more: int


def folder_content(folder: Path, /) -> FolderContent:
    """Return the content of a folder.

    Raises ``FileNotFound`` if there is no such folder; ``FileUnreadable`` if it cannot be read.
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
    return FolderContent(listed, files, max(0, len(folders) - _MOST))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


# Changes in the data folder: a few file system calls, without opening a collection.


def fact_stamps(home: Path, /) -> dict[str, int]:
    """Return the time of the last write of each collection's facts, by folder name."""
    return {folder.name: _changed(folder / FILE) for folder in _visible(home)}


def change_stamps(
    home: Path, facts: Mapping[str, int], ids: Iterable[str], /
) -> dict[str, tuple[int, ...]]:
    """Return for each collection a value that changes with its facts and with every commit."""
    return {i: (facts.get(i, 0), *commit_stamp(home / i)) for i in ids}


def _visible(home: Path) -> list[Path]:
    try:
        return [folder for folder in home.iterdir() if not folder.name.startswith(".")]
    except FileNotFoundError:  # there is no collection yet
        return []


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
