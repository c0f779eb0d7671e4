"""Whether other users of the machine can look into the data folder."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from casetrack.keep.health.findings import verdict

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.records import Check

_OTHERS = 0o077
_PUBLIC = {"models"}
"""What holds nothing of the user's."""


def open_to_others(home: Path, /) -> list[Path]:
    """Return what others may look into: nothing where the folder itself keeps them out.

    Else each file and folder in it must do so by itself. Windows has other rights, which the
    folder of the user passes on.

    Parameters
    ----------
    home
        The data folder.
    """
    if os.name == "nt" or not home.is_dir() or not _is_open(home):
        return []
    inside = [p for p in sorted(home.iterdir()) if p.name not in _PUBLIC and p.suffix != ".lock"]
    found = [path for path in inside if _is_open(path)]
    return [home, *found] if found else []


def check_private(home: Path, /) -> Check:
    """Check that the data folder is its owner's alone."""
    found = open_to_others(home)
    return verdict(
        "privacy",
        [f"other users of this machine may look into {path}" for path in found],
        "only you can look into the data folder",
        "Run `casetrack doctor --repair`: it takes these rights away from others (chmod go-rwx).",
    )


def make_private(home: Path, /) -> list[str]:
    """Take the rights of others away; return what was done, in words."""
    done = []
    for path in open_to_others(home):
        with contextlib.suppress(OSError):  # it belongs to somebody else; the check says so
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)
            done.append(f"made {path} private")
    return done


def _is_open(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & _OTHERS)
