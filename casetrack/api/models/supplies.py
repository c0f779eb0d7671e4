"""Downloads of a new installation: the search model and text recognition.

They are 120 MB of data, so they are downloaded on request, checked by their SHA-256, and kept
when the program is updated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from casetrack.base.models.catalog import RAPID
from casetrack.base.models.profiles import find_profile
from casetrack.base.models.spec import Progress
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.models.pull import installed, pull

USUAL = (DEFAULT_PROFILE, RAPID.name)
"""Default downloads, in this order."""


def lacking(models_dir: Path, /) -> tuple[str, ...]:
    """Return the parts of `USUAL` missing in the models folder; only file names are checked.

    Raises ``ModelCorrupt`` if the manifest of a model cannot be read.
    """
    present = {model.name for model in installed(models_dir)}
    names = find_profile(DEFAULT_PROFILE).model_names
    missing = [] if present.issuperset(names) else [DEFAULT_PROFILE]
    if any(not (models_dir / RAPID.name / file.name).is_file() for file in RAPID.files):
        missing.append(RAPID.name)
    return tuple(missing)


def fetch(models_dir: Path, progress: Progress, /) -> Iterator[str]:
    """Download missing parts of `USUAL`, check the others; yield a report after each.

    Raises ``DownloadFailed`` if no source of a part answered; ``ModelError`` or ``StorageError`` as
    :func:`casetrack.models.pull.pull` does.
    """
    from casetrack.parse.ocr.fetch import pull_weights

    for spec in find_profile(DEFAULT_PROFILE).models:
        yield pull(spec, models_dir, progress=progress).summary()
    yield pull_weights(models_dir, progress).summary()
