"""Opening and writing of PDFs: originals are never overwritten, writes are atomic."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import (
    EmptyFile,
    FileNotFound,
    Opt,
    ParseFailed,
    UnsupportedFormat,
    UsageError,
)
from casetrack.parse.pdf.open import check_memory, open_pdf, silenced, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["opened", "silenced", "target_for", "write_copy"]


@contextlib.contextmanager
def opened(path: Path, passwords: Sequence[str] = (), /) -> Iterator[Any]:
    """Open a PDF as a ``pymupdf.Document``; changes stay in memory until :func:`write_copy`."""
    if not path.is_file():
        raise FileNotFound(path)
    if path.suffix.lower() != ".pdf":
        raise UnsupportedFormat(path, ["pdf"], code=False)
    if path.stat().st_size == 0:
        raise EmptyFile(path)
    with contextlib.closing(open_pdf(path, tuple(passwords))) as document:
        try:
            yield document
        except (RuntimeError, silenced().mupdf.FzErrorBase) as error:
            check_memory(error)
            raise ParseFailed(path, "PDF", words_of(error)) from error


def target_for(source: Path, target: Path, /, *, replace: bool = False) -> Path:
    """Return the target for a copy of *source*, if nothing is overwritten."""
    if target.is_dir():
        target /= source.name
    if target.exists() and target.samefile(source):
        raise UsageError(
            f"The copy of {source.name} would overwrite the original.",
            hint="Name another file or folder; originals are never changed.",
        )
    if target.exists() and not replace:
        raise UsageError(
            f"{target} already exists.",
            hint=f"Name another file, or replace it with {Opt('force')}.",
        )
    return target


def write_copy(document: Any, target: Path, /, **how: int) -> None:
    """Write a ``pymupdf.Document`` to a temporary name, then rename it; old content is dropped.

    *how* are further options of ``Document.save``.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-", suffix=".pdf")
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {error.strerror}.", hint="Name another folder."
        ) from error
    os.close(handle)
    part = Path(name)
    try:
        # The copy of an encrypted original is not encrypted: the user knows the password.
        document.save(str(part), **{"garbage": 4, "deflate": 1, "encryption": 1} | how)
        part.chmod(0o644)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
