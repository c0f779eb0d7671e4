"""What a source is: a listing of items with change tokens, and a way to fetch one of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a source has, as its listing tells it.

    Attributes
    ----------
    source_id
        What the source calls it, with slashes; unique within the source.
    token
        Equal tokens mean equal content: a blob's id, an ETag with a size. Never a time alone.
    size
        Bytes, where the listing knows.
    url
        Where a person finds it.
    title, author
        By the source's own account.
    updated_at
        When it was last changed there (UTC).
    metadata
        Further facts, of JSON's types.
    """

    source_id: str
    token: str
    size: int | None = None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    updated_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """A place that documents come from.

    Attributes
    ----------
    kind
        ``filesystem``, ``git``, ``s3`` or ``script``.
    name
        The user's own name of it.
    """

    kind: str
    name: str

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield everything that the source has now, in a stable order.

        A listing that ends without an error is complete: what it does not name is gone.

        Raises
        ------
        SourceError
            The listing cannot be had, or not to its end.
        """

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        """Write an item's content to *target*, which does not exist yet.

        Raises
        ------
        SourceChanged
            It has another content than the listing said; list again.
        SourceError
            It cannot be had. What was known of it stays.
        """

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:
        """Return an address that opens an item at these lines, where the source has one."""


def label(source: Source, /) -> str:
    """Return what users write for a source, and what documents carry: ``git:platform``."""
    return f"{source.kind}:{source.name}"
