"""Stores what readers of files tell: one writer, one outcome per file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.ingest.messages import Chunks, Done, Gone, Message, Repeat, twin_of
from casetrack.ingest.outcomes import cancelled_outcome, repeated
from casetrack.store.originals import drop_copies

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.records import FileOutcome
    from casetrack.store.session import WriteSession


class Recorder:
    """Takes the messages of one batch, under the write lock.

    Parameters
    ----------
    folder
        The collection's folder.
    session
        Holds the write lock.
    force
        Whether the user wants also what is there already.

    Attributes
    ----------
    done
        How many files have ended, without those inside others.
    """

    def __init__(self, folder: Path, session: WriteSession, /, *, force: bool) -> None:
        self._folder = folder
        self._session = session
        self._force = force
        self._outcomes: dict[str, tuple[tuple[int, ...], FileOutcome]] = {}
        self._repeats: list[Repeat] = []
        self._stored: dict[tuple[str, bool], FileOutcome] = {}
        self.done = 0

    def take(self, message: Message, /) -> None:
        """Store what a message brings.

        Raises
        ------
        StorageError
            It cannot be stored; what was committed stays.
        """
        match message:
            case Chunks(table):
                self._session.append(table)
            case Gone(documents):
                self._session.delete(documents)
                drop_copies(self._folder, documents)
            case Repeat(place=place):
                self._repeats.append(message)
                self.done += len(place) == 1
            case Done():
                self._end(message)

    def _end(self, message: Done) -> None:
        outcome, document = message.outcome, message.document
        twin = twin_of(document, self._stored)
        if twin is not None and message.replaces is None and not self._force:
            # Two files of this batch, same bytes, different extensions.
            outcome = repeated(outcome.path, twin.path, twin)
            drop_copies(self._folder, [document] if document else [])
            document = None
        self._outcomes[outcome.path] = message.place, outcome
        self.done += len(message.place) == 1
        if document is not None:
            self._session.finish(document, replaces=message.replaces)
            self._stored[document.file_hash, document.parent_id is not None] = outcome
        elif message.revision is not None:
            self._session.abandon(message.revision)

    def outcomes(self) -> list[FileOutcome]:
        """Return how all files ended, in their order; what is inside a file follows it."""
        found = list(self._outcomes.values())
        for repeat in self._repeats:
            _, first = self._outcomes.get(repeat.first, ((), None))
            same = cancelled_outcome(repeat.path)
            if first is not None:
                same = repeated(repeat.path, repeat.first, first)
            found.append((repeat.place, same))
        return [outcome for _, outcome in sorted(found, key=lambda each: each[0])]
