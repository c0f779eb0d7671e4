"""Networks that lie in wheels: where RapidOCR's are, and EasyOCR's for English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable
from casetrack.base.models.ocr import RAPID

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.base.models.spec import Progress
    from casetrack.models.sources import ModelSource
    from casetrack.parse.ocr.fetch import Pulled

_HINT = (
    "Fetch them once while online with `casetrack models pull rapidocr`, or copy the folder "
    "rapidocr from the models folder of another machine."
)


def find_weights(models_dir: Path | None, /) -> Path:
    """Return the folder that holds RapidOCR's networks.

    Raises
    ------
    OcrUnavailable
        They have not been pulled.
    """
    if models_dir is not None:
        folder = models_dir / RAPID.name
        if all((folder / file.name).is_file() for file in RAPID.files):
            return folder
    raise OcrUnavailable("RapidOCR's networks are not on this machine.", hint=_HINT)


def pull_weights(
    models_dir: Path, /, progress: Progress, *, sources: Sequence[ModelSource] | None = None
) -> Pulled:
    """Fetch RapidOCR's networks into the models folder, and say what that did.

    Raises
    ------
    DownloadFailed, StorageError
        As :func:`casetrack.parse.ocr.fetch.pull_files` does.
    """
    from casetrack.models.pull import default_sources
    from casetrack.models.wheel import WheelSource
    from casetrack.parse.ocr.fetch import Pulled, pull_files

    if sources is None:
        sources = [source for source in default_sources() if isinstance(source, WheelSource)]
    folder = models_dir / RAPID.name
    fresh = pull_files(RAPID, folder, sources, progress, hint=_HINT)
    return Pulled(RAPID.name, folder, tuple(file.name for file in RAPID.files), fresh)
