"""What a person gives to say which document, passage or day is meant: its name, or itself."""

from __future__ import annotations

import os
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from casetrack.errors import UsageError
from casetrack.records import Document
from casetrack.store import find

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.provenance import Provenance
    from casetrack.records import Chunk
    from casetrack.records.graph import Quote
    from casetrack.store.datasets import Snapshot

T = TypeVar("T")


class Sourced(Protocol):
    """Something with its source: a result of a search, a chunk, a quote, a page."""

    @property
    def provenance(self) -> Provenance:
        """Where it stands."""
        ...


class Quoted(Protocol):
    """Something that quotes: a mention, an event, an amount, a citation."""

    @property
    def quote(self) -> Quote:
        """The words."""
        ...


class Passage(Protocol):
    """Something about a chunk: a similar or a related one, an encounter."""

    @property
    def chunk(self) -> Chunk:
        """The chunk."""
        ...


DocumentRef: TypeAlias = "str | os.PathLike[str] | Document"
"""A document: its name, path or id, or the document itself."""
PassageRef: TypeAlias = "str | Sourced | Quoted | Passage"
"""A passage: the id of a chunk, or whatever stands in one."""


def require_text(name: object, /) -> None:
    """Refuse what cannot be the name or the id of a collection.

    Raises
    ------
    UsageError
        It is no text.
    """
    if not isinstance(name, str):
        raise UsageError(
            f"A collection is named by its name or its id, not by {_kind(name)}.",
            hint="`data_dir` is what says in which folder the data lies.",
        )


def document_name(document: DocumentRef, /) -> str:
    """Return what to look a document up by; of a document itself that is its id.

    Raises
    ------
    UsageError
        It is neither a document nor the name of one.
    """
    if isinstance(document, Document):
        return document.document_id
    if isinstance(document, str):
        return document
    if isinstance(document, os.PathLike):
        path = Path(document)
        return path.name if len(path.parts) == 1 else str(path.expanduser().absolute())
    raise UsageError(
        f"A document is named by its name, its path or its id, not by {_kind(document)}.",
        hint='Such as "Lease.pdf", or one of collection.documents().',
    )


def find_document(snapshot: Snapshot, document: DocumentRef, /) -> Document:
    """Return the document that is meant, as it is in one state of a collection.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        See :func:`casetrack.store.find.find_document`.
    UsageError
        See :func:`document_name`.
    """
    return find.find_document(snapshot, document_name(document))


def passage_id(place: PassageRef, /) -> str:
    """Return the id of the chunk in which a passage stands.

    Raises
    ------
    UsageError
        It is not a passage.
    """
    if isinstance(place, str):
        return place
    found: Any = place
    for name in ("quote", "chunk"):
        found = getattr(found, name, found)
    source: Provenance | None = getattr(found, "provenance", None)
    if source is None:
        raise UsageError(
            f"There is no place to show for {_kind(place)}.",
            hint="Give a search result, a chunk, a mention, an event or an amount, or the id of a "
            "chunk; or a document with its page.",
        )
    return source.chunk_id


def find_chunk(snapshot: Snapshot, place: PassageRef, /) -> Chunk:
    """Return the chunk in which a passage stands.

    Raises
    ------
    ChunkNotFound
        No live chunk has this id.
    UsageError
        See :func:`passage_id`.
    """
    return find.find_chunk(snapshot, passage_id(place))


def day_text(day: str | date | None, /) -> str | None:
    """Return a day as text; of a moment its own date, whatever its time zone."""
    if isinstance(day, datetime):
        return day.date().isoformat()
    return day.isoformat() if isinstance(day, date) else day


def several(given: Iterable[str] | str, /) -> tuple[str, ...]:
    """Return all of them; a single text is one, not its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def as_paths(given: Any, /) -> list[str | Path]:
    """Return the paths of files and folders, one or many.

    Raises
    ------
    UsageError
        It is no path, or one of them is none, or names nothing.
    """
    one = isinstance(given, (str, os.PathLike))
    try:
        paths = [given] if one else list(given)
    except TypeError:
        paths = [given]
    for path in [given] if isinstance(given, bytes) else paths:
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(
                f"A file or a folder is named by its path, not by {_kind(path)}.",
                hint='Give a path such as "~/Contracts", or a list of paths.',
            )
        if not str(path).strip():
            raise UsageError(
                "The path of a file or folder is empty.",
                hint='Give a path such as "~/Contracts"; "." is the current folder.',
            )
    return [path if isinstance(path, str) else Path(path) for path in paths]


def _kind(thing: object) -> str:
    """Return what something is, in words."""
    if thing is None:
        return "None"
    name = type(thing).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
