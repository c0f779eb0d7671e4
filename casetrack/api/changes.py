"""What has changed in the data folder: a few looks at the disk, and no collection is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.folders import commit_stamp
from casetrack.store.info import FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def fact_stamps(home: Path, /) -> dict[str, int]:
    """Return when the facts of each collection were written, by the name of its folder."""
    return {folder.name: _changed(folder / FILE) for folder in _visible(home)}


def change_stamps(
    home: Path, facts: Mapping[str, int], ids: Iterable[str], /
) -> dict[str, tuple[int, ...]]:
    """Return for each collection what changes with its facts and with every commit to it."""
    return {i: (facts.get(i, 0), *commit_stamp(home / i)) for i in ids}


def _visible(home: Path) -> list[Path]:
    try:
        return [folder for folder in home.iterdir() if not folder.name.startswith(".")]
    except FileNotFoundError:  # nobody has made a collection yet
        return []


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
