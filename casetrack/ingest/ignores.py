"""Patterns in the syntax of gitignore, and the files of a folder that hold them."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".casetrackignore"
"""Holds patterns of what is left out, in the syntax of gitignore, for its folder and all below."""
GIT_IGNORE_FILE = ".gitignore"


def patterns(lines: Iterable[str], /, *, where: str) -> GitIgnoreSpec | None:
    """Return the patterns of *lines* in the syntax of gitignore; ``None`` where there are none.

    Parameters
    ----------
    lines
        One pattern each; ``#`` begins a comment, ``!`` takes an earlier pattern back.
    where
        Named in the error.

    Raises
    ------
    UsageError
        A pattern cannot be understood.
    """
    from pathspec import GitIgnoreSpec

    wanted = [line for line in lines if line.strip()]
    if not wanted:
        return None
    try:
        # Other backends cannot take names that are no text.
        return GitIgnoreSpec.from_lines(wanted, backend="simple")
    except (ValueError, re.error) as error:
        raise UsageError(
            f"A pattern in {where} cannot be understood: {error}",
            hint="Write patterns as in .gitignore, such as *.bak, drafts/ or !drafts/final.docx.",
        ) from error


def _patterns_of_git(lines: Iterable[str], /) -> GitIgnoreSpec | None:
    """Return the patterns of a ``.gitignore`` without the lines that mean nothing to git either."""
    lines = list(lines)
    try:
        return patterns(lines, where=GIT_IGNORE_FILE)
    except UsageError:
        good: list[str] = []
        for line in lines:
            with contextlib.suppress(UsageError):
                patterns([line], where=GIT_IGNORE_FILE)
                good.append(line)
        return patterns(good, where=GIT_IGNORE_FILE)


@dataclass(frozen=True, slots=True)
class Ignores:
    """What one file of patterns says.

    Attributes
    ----------
    rank
        Place of the file's name in :attr:`Rules.ignore_files`.
    base
        The folder it lies in, relative to the walk's, with a slash; empty above the walk's folder.
    above
        The walk's folder relative to the one it lies in, with a slash, where that is further up.
    """

    rank: int
    base: str
    above: str
    spec: GitIgnoreSpec

    def verdict(self, below: str, /) -> bool | None:
        """Return whether it leaves a path out, takes it back, or says nothing of it."""
        return self.spec.check_file(self.above + below[len(self.base) :]).include


def read_ignores(
    folder: str, names: Sequence[str], name: str, base: str, above: str = ""
) -> Ignores | None:
    """Return what the file *name* of a folder says; ``None`` where there is none, or it is empty.

    Parameters
    ----------
    names
        All names of such files, the one that counts most last.
    base, above
        See :class:`Ignores`.

    Raises
    ------
    UsageError
        A pattern cannot be understood, in a file that is not git's.
    OSError
        The file cannot be read.
    """
    path = os.path.join(folder, name)  # noqa: PTH118 - names that are no text
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # noqa: PTH123
        lines = file.read().splitlines()
    spec = _patterns_of_git(lines) if name == GIT_IGNORE_FILE else patterns(lines, where=path)
    return Ignores(names.index(name), base, above, spec) if spec is not None else None


def is_ignored(below: str, chain: Sequence[Ignores], /) -> bool:
    """Return whether a path is left out by what the last of *chain* says of it that says any."""
    verdicts = (ignores.verdict(below) for ignores in reversed(chain))
    return next((verdict for verdict in verdicts if verdict is not None), False)
