"""Which files a list of paths names: files as they are, folders walked in sorted order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.config import resolve_path
from casetrack.errors import CaseTrackError, FileNotFound
from casetrack.ingest.walk import Rules, Walk, extension_set

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class FoundFile:
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
    known_as
        Id of the document that the file is, where that is settled: its new content takes the place
        of what the document held, whatever path it had.
    """

    path: Path
    named: bool
    problem: CaseTrackError | None = None
    parent: Parent | None = None
    known_as: str | None = None

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
    apart: Iterable[Path] = (),
) -> list[FoundFile]:
    """Return the files of *paths*, each once, in a stable order.

    Hidden files and folders, other programs' lock and half-written files (``~$...``, ``*.part``),
    and what a ``.casetrackignore`` names, are left out of folders. Symbolic links to files are
    followed only where they stay inside the folder.

    Parameters
    ----------
    paths
        Files and folders. A path at which nothing is becomes an entry with a problem.
    recursive
        Whether folders are walked down.
    extensions
        Only files of folders with these extensions, such as ``["pdf", ".docx"]``.
    apart
        Folders that are not entered from a folder above them.
    """
    rules = Rules(recursive=recursive, extensions=extension_set(extensions), apart=tuple(apart))
    found: dict[Path, FoundFile] = {}
    for given in paths:
        path = resolve_path(given)
        if path.is_dir():
            for seen in Walk(path, rules).files():
                file = Path(seen.path)
                found.setdefault(file, FoundFile(file, named=False, problem=seen.problem))
        elif path.exists():
            found[path] = FoundFile(path, named=True)
        else:
            found[path] = FoundFile(path, named=True, problem=FileNotFound(path))
    return list(found.values())
