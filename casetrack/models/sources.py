"""The protocol of a source of model files, and the check that every file has to pass.

A source puts one wanted file at a given place, whole and with the right SHA-256, or raises
`SourceFailed` with the reason. It never decides what happens next; `pull` does.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from casetrack.models.layout import (
    GIT_DIGITS,
    Progress,
    git_hash_of,
    sha256_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.models.spec import ModelFile, ModelSpec


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
