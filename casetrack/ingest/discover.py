"""Which files a list of paths names: files as they are, folders walked in sorted order."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.config import resolve_path
from casetrack.base.errors import CaseTrackError, FileNotFound, FileUnreadable
from casetrack.base.objects.address import is_address
from casetrack.ingest.walk import Rules, Walk, extension_set

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from casetrack.base.records import Document


ATTACHMENTS_LISTED = "attachments_listed"
"""In the facts that a source tells of an item: whether the files inside it are its items, too."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What the source of a file says of it; see the columns of ``documents`` of these names.

    Attributes
    ----------
    path
        The path that its document has.
    name
        Its file name.
    title
        Counts where the file has none of its own.
    is_whole
        Whether the files inside it come by themselves.
    """

    path: str
    name: str
    source: str
    source_id: str
    source_url: str | None = None
    source_author: str | None = None
    source_updated_at: datetime | None = None
    metadata: str | None = None
    title: str | None = None
    is_whole: bool = False

    @classmethod
    def of(cls, document: Document, /) -> Origin:
        """Return what is known of a document that was fetched."""
        told = {name: getattr(document, name) for name in SOURCE_COLUMNS}
        name = PurePath(document.original_copy or document.path).name
        listed = json.loads(document.metadata) if document.metadata else {}
        is_whole = bool(listed.get(ATTACHMENTS_LISTED))
        return cls(document.path, name, title=document.title, is_whole=is_whole, **told)

    @property
    def told(self) -> tuple[object, ...]:
        """What the source says, in the order of :data:`SOURCE_COLUMNS`."""
        return tuple(self.columns().values())

    def columns(self) -> dict[str, Any]:
        """Return the columns of ``documents`` that tell a document's source."""
        return {name: getattr(self, name) for name in SOURCE_COLUMNS}

    def of_attachment(self, name: str, /) -> Origin:
        """Return the origin of what is inside the file."""
        source_id = f"{self.source_id}/{name}"
        return replace(self, path=f"{self.path}/{name}", name=name, source_id=source_id, title=None)


SOURCE_COLUMNS = (
    *("source", "source_id", "source_url", "source_author", "source_updated_at", "metadata"),
)


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
    origin
        What its source says of it, where it came through one.
    place
        Where it stands among the files of its batch; what is inside it stands after it.
    """

    path: Path
    named: bool
    problem: CaseTrackError | None = None
    parent: Parent | None = None
    known_as: str | None = None
    origin: Origin | None = None
    place: tuple[int, ...] = ()

    @property
    def is_fetched(self) -> bool:
        """Whether *path* is only where it was fetched to."""
        return self.origin is not None and self.origin.path != str(self.path)

    @property
    def shown(self) -> str:
        """The path that its document has: an attachment's continues that of its file."""
        if self.origin is not None:
            return self.origin.path
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


def require_any(paths: Iterable[str | Path], /) -> None:
    """Raise the problem of the first path where none can be read; addresses are not looked at.

    Raises
    ------
    FileNotFound, FileUnreadable
        No path is there, or the system refuses to read all that are.
    """
    given = list(paths)
    found = [resolve_path(path) for path in given if not is_address(path)]
    if not found or len(found) < len(given) or any(os.access(path, os.R_OK) for path in found):
        return
    if not found[0].exists():
        raise FileNotFound(found[0])
    raise FileUnreadable(found[0], os.strerror(errno.EACCES))


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
