"""What a person gives to say which document, passage or day is meant: its name, or itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, TypeVar

from casetrack.base.errors import UsageError
from casetrack.base.records import Document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote

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


class PassageRow(Protocol):
    """A row that names its chunk, such as one of a data frame or of an answer of SQL."""

    @property
    def chunk_id(self) -> Any:
        """The id of the chunk."""
        ...


class DocumentRow(Protocol):
    """A row that names its document, such as one of a data frame or of an answer of SQL."""

    @property
    def document_id(self) -> Any:
        """The id of the document."""
        ...


DocumentRef: TypeAlias = "str | os.PathLike[str] | Document | DocumentRow | Mapping[str, Any]"
"""A document: its name, path or id, or the document itself, or a row with ``document_id``."""
PassageRef: TypeAlias = "str | Sourced | Quoted | Passage | PassageRow | Mapping[str, Any]"
"""A passage: the id of a chunk, or whatever stands in one, or a row with ``chunk_id``."""


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
    if (document_id := row_id(document, "document_id")) is not None:
        return document_id
    if isinstance(document, os.PathLike):
        path = Path(document)
        return path.name if len(path.parts) == 1 else str(path.expanduser().absolute())
    raise UsageError(
        f"A document is named by its name, its path or its id, not by {_kind(document)}.",
        hint='Such as "Lease.pdf", or one of collection.documents().',
    )


def passage_id(place: PassageRef, /) -> str:
    """Return the id of the chunk in which a passage stands.

    Raises
    ------
    UsageError
        It is not a passage.
    """
    if isinstance(place, str):
        return place
    if (chunk_id := row_id(place, "chunk_id")) is not None:
        return chunk_id
    found: Any = place
    for name in ("quote", "chunk"):
        found = getattr(found, name, found)
    source: Provenance | None = getattr(found, "provenance", None)
    if source is None:
        raise UsageError(
            f"There is no place to show for {_kind(place)}.",
            hint="Give a search result, a chunk, a mention, an event or an amount, the id of a "
            "chunk, or a row with a column chunk_id; or a document with its page.",
        )
    return source.chunk_id


def row_id(row: object, column: str, /) -> str | None:
    """Return the id in a column of a row, or ``None`` where there is none.

    A row is a mapping, or whatever has its columns as attributes, as those of pandas do.
    """
    found = row.get(column) if isinstance(row, Mapping) else getattr(row, column, None)
    return found if isinstance(found, str) else None


def is_document(place: object, /) -> TypeGuard[DocumentRef]:
    """Return whether something names a document, or is one, and is no passage of one."""
    if isinstance(place, (str, os.PathLike, Document)):
        return True
    return row_id(place, "document_id") is not None and row_id(place, "chunk_id") is None


def as_documents(given: Iterable[DocumentRef] | DocumentRef | None, /) -> list[DocumentRef]:
    """Return the documents that are named, one or many; none for ``None``."""
    if given is None:
        return []
    return [given] if is_document(given) else list(given)  # type: ignore[arg-type]


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
