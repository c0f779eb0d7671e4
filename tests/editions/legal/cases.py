"""Cases of a few files, without any model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection


def new_library(folder: Path) -> Library:
    return Library(replace(load_settings(folder / "data"), models_dir=folder / "none"))


def new_case(folder: Path, *files: Path, name: str = "Mill") -> Collection:
    """Return a case with these files or folders and its data in *folder*."""
    made = new_library(folder).create(name)
    made.ingest(files, progress=False)
    return made
