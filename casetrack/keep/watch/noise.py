"""Files whose changes mean nothing: locks, downloads under way, editors' and systems' own files."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENDINGS = (
    ".part",
    ".partial",
    ".crdownload",
    ".download",
    ".opdownload",
    ".tmp",
    ".temp",
    ".swp",
    ".swx",
    "~",
)
_NAMES = frozenset({"thumbs.db", "desktop.ini", "4913"})
"""``4913`` is what vim makes to learn whether it may write into a folder."""


def is_noise(name: str, /) -> bool:
    """Return whether a file or folder of this name is never part of a collection.

    Files that are hidden on Unix, lock files of office programs (``~$``), downloads that are not
    finished, and working copies of editors, which appear under their real name at the end.
    """
    folded = name.casefold()
    return folded.startswith((".", "~$")) or folded.endswith(_ENDINGS) or folded in _NAMES


class Filter:
    """Says which paths below a watched folder are worth a look.

    Parameters
    ----------
    folder
        The watched folder.
    recursive
        Whether what lies deeper counts.
    extensions
        Only files with these (``.pdf``); ``None`` takes all.
    outside
        A folder that does not count although it may lie inside: the data folder, whose files change
        with every sync.
    """

    def __init__(
        self,
        folder: str,
        /,
        *,
        recursive: bool = True,
        extensions: Iterable[str] | None = None,
        outside: str | None = None,
    ) -> None:
        self._prefix = os.path.join(folder, "")  # noqa: PTH118 - hot
        self._recursive = recursive
        self._extensions = None if extensions is None else frozenset(extensions)
        self._outside = None if outside is None else os.path.join(outside, "")  # noqa: PTH118

    def wants(self, path: str, is_folder: bool, /) -> bool:
        """Return whether a change at *path* may change the collection."""
        if not path.startswith(self._prefix):
            return False
        if self._outside is not None and (path + os.sep).startswith(self._outside):
            return False
        parts = PurePath(path[len(self._prefix) :]).parts
        if not self._recursive and (len(parts) > 1 or is_folder):
            return False
        if any(is_noise(part) for part in parts):
            return False
        if is_folder or self._extensions is None:
            return True
        return PurePath(parts[-1]).suffix.lower() in self._extensions
