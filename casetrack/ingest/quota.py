"""How many new documents a batch may still add, where a tier has a limit.

Files are read side by side, and not each of them becomes a document. So a file that could be the
last one reserves a place before it is read, and gives it back where nothing came of it; where no
place is free, it waits for those that are still being read before it is refused.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from casetrack.base.errors import FreeTierLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from casetrack.base.records import Document, FileOutcome

_POLL_SECONDS = 0.2


class Reservation:
    """The place of one file; *used* says whether it became a document."""

    def __init__(self) -> None:
        self.used = False


class Quota:
    """Reserves places for documents. Used from several threads.

    Parameters
    ----------
    held
        How many documents count already.
    allow
        Raises :class:`FreeTierLimit` where a collection that holds so many takes
        no more.
    """

    def __init__(self, held: int, allow: Callable[[int], None], /) -> None:
        self._held = held
        self._allow = allow
        self._reading = 0
        self._changed = threading.Condition()

    @contextmanager
    def reserve(self, given_up: Callable[[], bool], /) -> Iterator[Reservation | None]:
        """Hold a place while a file is read; ``None`` where *given_up* came to be true first.

        Raises
        ------
        FreeTierLimit
            The collection is full.
        """
        if not self._enter(given_up):
            yield None
            return
        place = Reservation()
        try:
            yield place
        finally:
            with self._changed:
                self._reading -= 1
                self._held += place.used
                self._changed.notify_all()

    def _enter(self, given_up: Callable[[], bool]) -> bool:
        with self._changed:
            while True:
                self._allow(self._held)
                try:
                    self._allow(self._held + self._reading)
                except FreeTierLimit:
                    if given_up():
                        return False
                    self._changed.wait(_POLL_SECONDS)
                else:
                    self._reading += 1
                    return True


def counted(documents: Iterable[Document], /, *, but: Collection[str] = ()) -> int:
    """Return how many documents count towards a limit: all that did not come inside others.

    Parameters
    ----------
    documents
        Of a collection.
    but
        Ids of documents that are about to go.
    """
    return sum(d.parent_id is None and d.document_id not in but for d in documents)


def limit_notes(outcomes: Sequence[FileOutcome], /) -> tuple[str, ...]:
    """Return the note on the files that were refused; none where none was."""
    refused = [o for o in outcomes if o.code == FreeTierLimit.code]
    if not refused:
        return ()
    files = "1 file was" if len(refused) == 1 else f"{len(refused):,} files were"
    last = refused[-1]
    reason = (last.message or "").removeprefix(f"{last.path} was not added: ")
    return (" ".join(filter(None, (f"{files} not added: {reason}", last.hint))),)
