"""Fetches the files that an engine needs into a folder of its own, each checked by its SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.errors import DownloadFailed
from casetrack.models.layout import sha256_of, storage_error
from casetrack.models.sources import SourceFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.models.layout import Progress
    from casetrack.models.sources import ModelSource
    from casetrack.models.spec import ModelFile, ModelSpec


def missing(spec: ModelSpec, folder: Path, /) -> list[ModelFile]:
    """Return the files of *spec* that *folder* lacks, or has with another content."""
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
    """Fetch what *folder* lacks; return the names of the files that are new.

    Parameters
    ----------
    sources
        Tried in order.
    hint
        What to do where none of them delivers.

    Raises
    ------
    DownloadFailed
        Files are missing and no source delivered them; the text has each source's reason.
    StorageError
        The folder cannot be written.
    """
    try:
        return _pull(spec, folder, sources, progress, hint)
    except OSError as error:
        raise storage_error(error, folder) from error


def _pull(
    spec: ModelSpec, folder: Path, sources: Sequence[ModelSource], progress: Progress, hint: str
) -> tuple[str, ...]:
    import filelock

    if not (wanted := missing(spec, folder)):
        return ()
    folder.mkdir(parents=True, exist_ok=True)
    reasons = []
    with filelock.FileLock(folder / ".pull.lock", fallback_to_soft=False):
        for source in sources:
            if not (left := missing(spec, folder)):
                break
            try:
                source.fetch(spec, left, folder, progress)
            except SourceFailed as error:
                reasons.append(f"\n  - {source.label}: {error}")
        left = missing(spec, folder)
    if left:
        names = ", ".join(file.name for file in left)
        raise DownloadFailed(
            f"{spec.name} could not be fetched; missing in {folder}: {names}."
            + (f" Tried:{''.join(reasons)}" if reasons else " No source was tried."),
            hint=hint,
        )
    return tuple(file.name for file in wanted)
