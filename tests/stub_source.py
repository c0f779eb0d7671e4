"""A source in memory with chosen items, errors, and an end of its listing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import SourceError
from casetrack.keep.sources.base import Item, Source, label

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class StubSource(Source):
    """A source of texts.

    Attributes
    ----------
    texts
        By ``source_id``; a number is the size of an item whose content must not be fetched.
    facts
        Further facts of the listing, by ``source_id``.
    errors
        Errors of fetching an item, each raised once.
    breaks_after
        Number of items after which the listing fails.
    fetched
        Ids of the fetched items, in order.
    """

    texts: dict[str, str | bytes] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    errors: dict[str, list[SourceError]] = field(default_factory=dict)
    breaks_after: int | None = None
    fetched: list[str] = field(default_factory=list)
    kind: str = "git"
    name: str = "stub"
    notes: tuple[str, ...] = ()
    dark: tuple[str, ...] = ()
    large: tuple[str, ...] = ()
    closed: int = 0

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        for number, source_id in enumerate(sorted(self.texts)):
            if number == self.breaks_after:
                break
            yield Item(
                source_id, **{"token": self.token(source_id)} | self.facts.get(source_id, {})
            )
        if self.breaks_after is not None:
            raise SourceError(label(self), "the line is dead.", hint="Mend it.")

    def token(self, source_id: str) -> str:
        return hashlib.sha1(self._bytes(source_id)).hexdigest()

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        waiting = self.errors.get(item.source_id)
        if waiting:
            raise waiting.pop(0)
        self.fetched.append(item.source_id)
        target.write_bytes(self._bytes(item.source_id))

    def close(self) -> None:
        self.closed += 1

    def _bytes(self, source_id: str) -> bytes:
        text = self.texts[source_id]
        return text if isinstance(text, bytes) else text.encode()
