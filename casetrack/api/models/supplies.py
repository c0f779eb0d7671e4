"""What a fresh installation fetches once beside the program: search model, and what reads scans.

They are data, 120 MB of them, so they come when they are wanted, are checked by their SHA-256, and
stay when the program is updated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.models.catalog import RAPID
from casetrack.base.models.profiles import find_profile
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.models.pull import installed, pull

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.base.models.spec import Progress

USUAL = (DEFAULT_PROFILE, RAPID.name)
"""What is fetched where nothing is named, in this order."""


def lacking(models_dir: Path, /) -> tuple[str, ...]:
    """Return which of `USUAL` are not in the models folder; only the names of files are looked at.

    Raises
    ------
    ModelCorrupt
        The manifest of a model cannot be read.
    """
    there = {model.name for model in installed(models_dir)}
    names = find_profile(DEFAULT_PROFILE).model_names
    missing = [] if there.issuperset(names) else [DEFAULT_PROFILE]
    if any(not (models_dir / RAPID.name / file.name).is_file() for file in RAPID.files):
        missing.append(RAPID.name)
    return tuple(missing)


def fetch(models_dir: Path, progress: Progress, /) -> Iterator[str]:
    """Fetch what is lacking of `USUAL`, check the rest; yield a report of each as it is done.

    Raises
    ------
    DownloadFailed
        A part could not be had from anywhere; those that were reported before it are there.
    ModelError, StorageError
        As :func:`casetrack.models.pull.pull` does.
    """
    from casetrack.parse.ocr.fetch import pull_weights

    for spec in find_profile(DEFAULT_PROFILE).models:
        yield pull(spec, models_dir, progress=progress).summary()
    yield pull_weights(models_dir, progress).summary()
