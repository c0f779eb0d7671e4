"""Which files a list of paths names: files as they are, folders walked in sorted order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.config import resolve_path
from casetrack.errors import CaseTrackError, FileNotFound, FileUnreadable, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

_JUNK = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Found:
    """A file to ingest.

    Attributes
    ----------
    path
        Absolute.
    named
        Whether the user named the file itself, not a folder it lies in.
    problem
        Why it cannot be ingested, where that shows already.
    parent
        For an attachment: the file that holds it.
    """

    path: Path
    named: bool
    problem: CaseTrackError | None = None
    parent: Parent | None = None

    @property
    def shown(self) -> str:
        """The path that its document has: an attachment's continues that of its file."""
        return f"{self.parent.shown}/{self.parent.name}" if self.parent else str(self.path)


@dataclass(frozen=True, slots=True)
class Parent:
    """What an attachment belongs to.

    Attributes
    ----------
    document_id
        The containing document; ``None`` where that has no text of its own.
    shown
        Its path.
    modified_at
        When the file that holds everything was modified (UTC).
    depth
        1 for what is attached to a file, 2 for what is attached to that.
    name
        The attachment's own part of its path: unlike those of its siblings.
    """

    document_id: str | None
    shown: str
    modified_at: datetime
    depth: int
    name: str


def discover(
    paths: Iterable[str | Path],
    /,
    *,
    recursive: bool = True,
    extensions: Iterable[str] | None = None,
) -> list[Found]:
    """Return the files of *paths*, each once, in a stable order.

    Hidden files and folders, and office programs' lock files (``~$...``), are left out of folders.
    Symbolic links inside a folder are followed only where they stay inside it.

    Parameters
    ----------
    paths
        Files and folders. A path at which nothing is becomes an entry with a problem.
    recursive
        Whether folders are walked down.
    extensions
        Only files of folders with these extensions, such as ``["pdf", ".docx"]``.
    """
    wanted = None if extensions is None else {_extension(e) for e in extensions}
    found: dict[Path, Found] = {}
    for given in paths:
        path = resolve_path(given)
        if path.is_dir():
            for file in _walk(path, recursive=recursive):
                if wanted is None or file.path.suffix.lower() in wanted:
                    found.setdefault(file.path, file)
        elif path.exists():
            found[path] = Found(path, named=True)
        else:
            found[path] = Found(path, named=True, problem=FileNotFound(path))
    return list(found.values())


def _extension(text: str) -> str:
    extension = "." + text.strip().lower().lstrip("*").lstrip(".")
    if extension == ".":
        raise UsageError("An extension is empty.", hint="Write extensions like pdf or .docx.")
    return extension


def _walk(folder: Path, *, recursive: bool) -> Iterator[Found]:
    refused: list[OSError] = []
    inside = folder.resolve()
    for base, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = sorted(f for f in folders if not f.startswith(".")) if recursive else []
        for name in sorted(names):
            if name.startswith((".", "~$")) or name.lower() in _JUNK:
                continue
            path = Path(base, name)
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                problem = UsageError(
                    f"{path} is a link to a file outside the folder.",
                    hint="Name the file itself to ingest it.",
                )
                yield Found(path, named=False, problem=problem)
            else:
                yield Found(path, named=False)
    for error in refused:
        where = Path(error.filename)
        reason = error.strerror or "the folder cannot be opened"
        yield Found(where, named=False, problem=FileUnreadable(where, reason))
