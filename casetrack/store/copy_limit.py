"""A size limit for the local copies of remote collections.

Copies of views and source files may be removed at any time, since they are fetched again on demand.
Those of the least recently used collection are removed first.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
from pathlib import Path

from casetrack.base.files import folder_bytes
from casetrack.store import mirror
from casetrack.store.originals import COPIES
from casetrack.store.place import is_remote_folder

_FOLDERS = ("views", COPIES)
_USED = ".place-used.lock"
"""File whose time is the last use of a view of the collection."""
_log = logging.getLogger(__name__)
_told: set[Path] = set()


def limit_copies(folder: Path, most_bytes: int, /) -> list[Path]:
    """Remove copies of other collections to keep *most_bytes*; return their folders."""
    with contextlib.suppress(OSError):
        (folder / _USED).touch()
    sizes = {
        other: sum(folder_bytes(other / name) for name in _FOLDERS)
        for other in folder.parent.glob("[!.]*")
        if is_remote_folder(other)
    }
    excess, removed = sum(sizes.values()) - most_bytes, []
    for other in sorted(sizes, key=_last_used):
        if excess <= 0:
            break
        if other != folder and sizes[other]:
            mirror.forget_views(other)
            shutil.rmtree(other / COPIES, ignore_errors=True)
            excess -= sizes[other]
            removed.append(other)
    if excess > 0 and folder not in _told:
        _told.add(folder)
        _log.warning(
            "The search index of the collection in %s takes more than cache_megabytes in "
            "config.toml allows (%d MB); it is kept anyway.",
            folder,
            most_bytes // 1_000_000,
        )
    return removed


def _last_used(folder: Path) -> float:
    try:
        return (folder / _USED).stat().st_mtime
    except OSError:
        return 0.0
