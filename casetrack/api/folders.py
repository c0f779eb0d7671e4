"""Content of folders on this computer, and detection of changes in the data folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import FileNotFound, FileUnreadable
from casetrack.store.folders import commit_stamp
from casetrack.store.info import FILE

_MOST = 1000
"""Maximum number of listed folders in one folder."""
_WALKED = 500
"""Maximum number of folders in which files are counted."""


@dataclass(frozen=True, slots=True)
class FolderContent:
    """Content of a folder.

    *folders* are sorted by name, without hidden ones; *more* is the number of folders that are not
    listed. *files* is the number of readable files with those in subfolders, at least that many if
    *is_part*.
    """

    folders: tuple[Path, ...]
    more: int
    files: int
    is_part: bool


def folder_content(folder: Path, /) -> FolderContent:
    """Return the content of a folder.

    Raises ``FileNotFound`` if there is no such folder; ``FileUnreadable`` if it cannot be read.
    """
    from casetrack.parse import known_extensions

    if not folder.is_dir():
        raise FileNotFound(folder)
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise FileUnreadable(folder, error.strerror or str(error)) from error
    known, files, folders, number = known_extensions(), 0, [""], 0
    for number, (_, below, names) in enumerate(islice(os.walk(folder), _WALKED + 1)):
        below[:] = sorted((n for n in below if not n.startswith(".")), key=str.casefold)
        folders = folders if number else [*below]
        files += sum(n.lower().endswith(known) and not n.startswith(".") for n in names)
    listed = tuple(folder / name for name in folders[:_MOST])
    return FolderContent(listed, max(0, len(folders) - _MOST), files, number == _WALKED)


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
