"""The protocol of a source of model files, and the check that every file has to pass.

A source puts one wanted file at a given place, whole and with the right SHA-256, or raises
`SourceFailed` with the reason. It never decides what happens next; `pull` does.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from casetrack.base.errors import DownloadFailed
from casetrack.models.layout import GIT_DIGITS, git_hash_of, sha256_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.base.models.spec import ModelFile, ModelSpec, Progress


class SourceFailed(Exception):
    """A source could not deliver; its text is the reason."""


class ModelSource(Protocol):
    """One place that files come from."""

    @property
    def label(self) -> str:
        """Name for reports."""

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Put *files* into *folder*; those already finished stay when a later one fails.

        Raises
        ------
        SourceFailed
            Not all could be had.
        OSError
            The folder cannot be written.
        """


def fetch_files(
    spec: ModelSpec,
    wanted: Sequence[ModelFile],
    folder: Path,
    sources: Sequence[ModelSource],
    progress: Progress,
    /,
    *,
    name: str,
    hint: str,
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Fetch *wanted*, each file from the first source that delivers it.

    Parameters
    ----------
    name, hint
        What an error calls the whole, and what it says to do.

    Returns
    -------
    origins
        Label of the source by name of the file.
    failures
        ``(label, reason)`` of each source that failed.

    Raises
    ------
    DownloadFailed
        Files are missing and no source delivered them; the text has each source's reason.
    OSError
        The folder cannot be written.
    """
    origins: dict[str, str] = {}
    failures: list[tuple[str, str]] = []
    missing = list(wanted)
    for source in sources:
        if not missing:
            break
        try:
            source.fetch(spec, missing, folder, progress)
        except SourceFailed as error:
            failures.append((source.label, str(error)))
        for file in missing:
            # A source that fails half-way keeps what it finished and checked.
            found = sha256_of(folder / file.name)
            if found is not None and found == (file.sha256 or found):
                origins[file.name] = source.label
        missing = [file for file in missing if file.name not in origins]
    if missing:
        names = ", ".join(file.name for file in missing)
        reasons = "".join(f"\n  - {source}: {reason}" for source, reason in failures)
        raise DownloadFailed(
            f"{name} could not be fetched; missing in {folder}: {names}."
            + (f" Tried:{reasons}" if reasons else " No source was tried."),
            hint=hint,
        )
    return origins, tuple(failures)


def accept(part: Path, file: ModelFile, folder: Path, stated: str = "", /) -> None:
    """Give a complete download its name, or delete it.

    *stated* is the SHA-256 or git hash that the source states; it counts where the catalogue has
    none.

    Raises
    ------
    SourceFailed
        The content is wrong, or there is nothing to check it by.
    """
    expected = file.sha256 or stated
    if not expected:
        part.unlink(missing_ok=True)
        raise SourceFailed(
            f"{file.name} cannot be checked: this version knows no checksum of it, and the server "
            "states none"
        )
    is_git = len(expected) == GIT_DIGITS
    found = git_hash_of(part) if is_git else sha256_of(part)
    if found != expected:
        part.unlink(missing_ok=True)
        kind = "git hash" if is_git else "SHA-256"
        raise SourceFailed(
            f"{file.name} has the wrong content: expected {kind} {expected}, found {found}"
        )
    with part.open("rb+") as done:
        os.fsync(done.fileno())
    part.replace(folder / file.name)
