"""Files of a list of paths: files as given, and folders in sorted order."""

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
"""Key in the facts of a source's item: whether the files inside it are also items."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A file's description by its source; *title* is used if the file has none.

    *is_whole* means that the files inside it are separate items.
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
        """Return the origin of a fetched document."""
        columns = {name: getattr(document, name) for name in SOURCE_COLUMNS}
        name = PurePath(document.original_copy or document.path).name
        listed = json.loads(document.metadata) if document.metadata else {}
        is_whole = bool(listed.get(ATTACHMENTS_LISTED))
        return cls(document.path, name, title=document.title, is_whole=is_whole, **columns)

    @property
    def values(self) -> tuple[object, ...]:
        """The source's values, in the order of :data:`SOURCE_COLUMNS`."""
        return tuple(self.columns().values())

    def columns(self) -> dict[str, Any]:
        """Return the columns of ``documents`` about the source."""
        return {name: getattr(self, name) for name in SOURCE_COLUMNS}

    def of_attachment(self, name: str, /) -> Origin:
        """Return the origin of an attachment of the file."""
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
    named
        Whether the user named the file itself, not its folder.
    problem
        Known reason why it cannot be ingested.
    known_as
        Id of its document, if that is known: the new content replaces the old one, whatever the
        path.
    place
        Position in the batch; the files inside it sort after it.
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
        """Whether *path* is only a temporary copy from a source."""
        return self.origin is not None and self.origin.path != str(self.path)

    @property
    def shown(self) -> str:
        """Path of its document; for an attachment, it continues that of its file."""
        if self.origin is not None:
            return self.origin.path
        return f"{self.parent.shown}/{self.parent.name}" if self.parent else str(self.path)


@dataclass(frozen=True, slots=True)
class Parent:
    """The container of an attachment.

    Attributes
    ----------
    document_id
        The containing document; ``None`` if that has no text.
    modified_at
        Modification time of the outermost file (UTC).
    depth
        1 for an attachment of a file, 2 for an attachment of that.
    """

    document_id: str | None
    shown: str
    modified_at: datetime
    depth: int
    name: str


def require_any(paths: Iterable[str | Path], /) -> None:
    """Raise the error of the first path if none can be read; addresses are not checked."""
    given = list(paths)
    local = [resolve_path(path) for path in given if not is_address(path)]
    if not local or len(local) < len(given) or any(os.access(path, os.R_OK) for path in local):
        return
    if not local[0].exists():
        raise FileNotFound(local[0])
    raise FileUnreadable(local[0], os.strerror(errno.EACCES))


def discover(
    paths: Iterable[str | Path],
    /,
    *,
    recursive: bool = True,
    extensions: Iterable[str] | None = None,
    apart: Iterable[Path] = (),
) -> list[FoundFile]:
    """Return the files of *paths*, each once, in a stable order.

    Within folders, hidden files, lock files and partial files of other programs (``~$...``,
    ``*.part``), and files matched by a ``.casetrackignore`` are skipped. Symbolic links to files
    are followed only inside the folder. A missing path becomes an entry with a problem.
    *extensions* limits files of folders. Folders in *apart* are not entered from a folder above
    them.
    """
    rules = Rules(recursive=recursive, extensions=extension_set(extensions), apart=tuple(apart))
    files: dict[Path, FoundFile] = {}
    for given in paths:
        path = resolve_path(given)
        if path.is_dir():
            for seen in Walk(path, rules).files():
                file = Path(seen.path)
                files.setdefault(file, FoundFile(file, named=False, problem=seen.problem))
        elif path.exists():
            files[path] = FoundFile(path, named=True)
        else:
            files[path] = FoundFile(path, named=True, problem=FileNotFound(path))
    return list(files.values())
