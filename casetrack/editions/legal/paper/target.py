"""Target files of papers: atomic writes, no silent replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import Opt, UsageError
from casetrack.base.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


def target_path(
    path: Path, endings: Collection[str], /, *, force: bool = False, keeps: Path | None = None
) -> Path:
    """Return the absolute path for a new paper.

    *endings* are the allowed suffixes, *force* allows to replace a file, *keeps* is never replaced.
    """
    target = path.expanduser().absolute()
    if target.suffix.lower() not in endings or target.is_dir():
        *others, last = sorted(endings)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(
            f"{str(path)!r} has an unsupported suffix.", hint=f"Use a file that ends in {listed}."
        )
    if not target.parent.is_dir():
        raise UsageError(
            f"The folder {target.parent} does not exist.", hint="Create it, or use another folder."
        )
    if keeps is not None and target.exists() and keeps.exists() and target.samefile(keeps):
        raise UsageError(
            f"{target} is the draft itself, which is never changed.",
            hint="Name another file for the copy.",
        )
    if target.exists() and not force:
        raise UsageError(
            f"{target} already exists.",
            hint=f"Use another name, or replace the file with {Opt('force')}.",
        )
    return target


def write_paper(target: Path, content: bytes | str, /) -> Path:
    """Write a paper atomically and return its path."""
    write_atomic(target, content.encode() if isinstance(content, str) else content)
    return target
