"""Where a paper is written: to a file that is not there yet, whole or not at all."""

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
    """Return where a paper can be written, absolute.

    Parameters
    ----------
    path
        As it was named.
    endings
        What it may end in, lower case, with dot.
    force
        Whether a file that is there may be replaced.
    keeps
        A file that is never replaced: the draft itself.

    Raises
    ------
    UsageError
        It ends otherwise, its folder does not exist, or something is there already.
    """
    target = path.expanduser().absolute()
    if target.suffix.lower() not in endings or target.is_dir():
        *others, last = sorted(endings)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(
            f"{str(path)!r} does not name a file that can be written here.",
            hint=f"Name a file that ends in {listed}.",
        )
    if not target.parent.is_dir():
        raise UsageError(
            f"There is no folder {target.parent}.", hint="Make it first, or choose another place."
        )
    if keeps is not None and target.exists() and keeps.exists() and target.samefile(keeps):
        raise UsageError(
            f"{target} is the draft itself, which is never changed.",
            hint="Name another file for the copy.",
        )
    if target.exists() and not force:
        raise UsageError(
            f"There is a file {target} already.",
            hint=f"Choose another name. {Opt('force')} replaces it.",
        )
    return target


def write_paper(target: Path, content: bytes | str, /) -> Path:
    """Write a paper, whole or not at all, and return where it is.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    write_atomic(target, content.encode() if isinstance(content, str) else content)
    return target
