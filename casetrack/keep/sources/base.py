"""What a source is: a listing of items with change tokens, and a way to fetch one of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Mapping, Sequence
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
        Equal tokens mean equal content: a blob's id, an ETag with a size. Never a time alone; empty
        where the source knows of nothing better.
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
    name
        A file name with an extension, by which it is read and shown, where the last part of
        *source_id* is none: ``ticket-12.md``.
    is_whole
        Whether the files inside it are items of the source as well, so that they are not taken
        out of it.
    """

    source_id: str
    token: str
    size: int | None = None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    updated_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    is_whole: bool = False


class Source(Protocol):
    """A place that documents come from.

    Attributes
    ----------
    kind
        ``filesystem``, ``git``, ``s3`` or ``script``; ``production`` for one that came with a load
        file.
    name
        The user's own name of it.
    notes
        What the last listing left out and why, a sentence each.
    dark
        Folders, by their ``source_id``, that the last listing could not look into; an empty one is
        the whole source. What lies below them is unknown, not gone.
    large
        Items that the last listing left out because they are too large, by their ``source_id``.
    """

    kind: str
    name: str
    notes: Sequence[str]
    dark: Sequence[str]
    large: Sequence[str]

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield everything that the source has now, in a stable order.

        A listing that ends without an error is complete: what it does not name is gone.

        Raises
        ------
        SourceError
            The listing cannot be had, or not to its end.
        JobStopped
            *cancel* was set.
        """
        ...

    def file(self, item: Item, /) -> Path | None:  # noqa: ARG002 - most have none
        """Return an item's own file where it lies on this machine, absolute.

        It is read in place, documents have its path, and it is compared by its content as the files
        of any folder are; ``None`` where an item has to be fetched.
        """
        return None

    def prepare(
        self,
        items: Sequence[Item],  # noqa: ARG002 - most need nothing
        /,
        *,
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> None:
        """Get ready for these items to be fetched, where they are better had together.

        Raises
        ------
        SourceError
            Nothing can be fetched.
        JobStopped
            *cancel* was set.
        """
        return

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        """Write an item's content to *target*, which does not exist yet.

        Raises
        ------
        SourceSkipped
            There is nothing to read in it, now or later.
        SourceChanged
            It has another content than the listing said; list again.
        SourceError
            It cannot be had. What was known of it stays.
        JobStopped
            *cancel* was set.
        """
        ...

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:
        """Return an address that opens an item at these lines, where the source has one."""
        ...

    def close(self) -> None:
        """Let go of the programs and files that fetching needed."""
        return


def label(source: Source, /) -> str:
    """Return what users write for a source, and what documents carry: ``git:platform``."""
    return f"{source.kind}:{source.name}"
