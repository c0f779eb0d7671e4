"""Files read in threads, with all that is inside them, and stored by one writer."""

from __future__ import annotations

import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from casetrack.base.errors import (
    CaseTrackError,
    DuplicateDocument,
    FileError,
    FreeTierLimit,
    ParseLimit,
)
from casetrack.ingest.build import DocumentBuilder, Stopped, Taken
from casetrack.ingest.messages import (
    Chunks,
    Done,
    Gone,
    Message,
    Repeat,
    attached_file,
    finished_file,
    twin_of,
    without_lost,
)
from casetrack.ingest.outcomes import Reservation, cancelled_outcome, failure, repeated
from casetrack.store.originals import drop_copies

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from contextlib import AbstractContextManager

    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.plan import Job
    from casetrack.store.session import WriteSession

_OF_ONE_FILE = (FileError, DuplicateDocument, FreeTierLimit)
"""Errors that concern a file and leave the others as they are."""


class IngestContext(Protocol):
    """Where a reader of files asks what becomes of them, and leaves what it has to say."""

    def begin(self, found: FoundFile, /) -> tuple[Job, str] | str:
        """Return the job for a file and its revision, or the path of another with its content.

        Raises
        ------
        DuplicateDocument, FileError
            See :meth:`casetrack.ingest.plan.IngestPlanner.plan`.
        """
        ...

    def let_go(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        """See :meth:`casetrack.ingest.plan.IngestPlanner.let_go`."""
        ...

    def reserve(self) -> AbstractContextManager[Reservation | None]:
        """See :meth:`casetrack.ingest.outcomes.Quota.reserve`."""
        ...

    def put(self, message: Message, /) -> None:
        """Take a message for the writer.

        Raises
        ------
        Stopped
            The writer takes no more.
        """
        ...

    @property
    def is_cancelled(self) -> bool:
        """Whether the user wants to stop."""
        ...

    @property
    def is_aborted(self) -> bool:
        """Whether the batch has failed, so that nobody hears how a file ended."""
        ...


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads files, one after the other.

    Attributes
    ----------
    desk
        Whom it works for.
    taker
        Turns a file into a document and its chunks.
    spool
        Folder for copies of what is inside files.
    attachment_depth
        How deep files inside files are read.
    tell
        Called with the path of each file that is begun.
    """

    desk: IngestContext
    taker: DocumentBuilder
    spool: Path
    attachment_depth: int
    tell: Callable[[str], None]

    def read(self, found: FoundFile, /) -> FileError | None:
        """Take in one file and tell how it ended; returns the error where it failed.

        Raises
        ------
        Stopped
            The batch has failed.
        CaseTrackError
            The batch cannot go on.
        """
        started = time.perf_counter()
        desk, revision = self.desk, None
        try:
            if desk.is_cancelled:
                raise Stopped
            if found.problem is not None:
                raise found.problem
            begun = desk.begin(found)
            if isinstance(begun, str):
                desk.put(Repeat(found.shown, begun, found.place))
                return None
            job, revision = begun
            self.tell(found.shown)
            adds = job.previous is None and found.parent is None
            reserved = desk.reserve() if adds else nullcontext(Reservation())
            with reserved as place:
                if place is None:
                    raise Stopped
                with tempfile.TemporaryDirectory(dir=self.spool) as spool:
                    taken = self.taker.take(found, job, revision, Path(spool))
                    seconds = time.perf_counter() - started
                    # Attachments first: a file that is known then is known with all that is in it.
                    lost = self._read_attachments(found, job, taken)
                place.used = taken.document is not None
            taken = without_lost(taken, lost)
            desk.put(finished_file(found, job, revision, taken, seconds))
        except Stopped:
            if desk.is_aborted:
                raise
            desk.put(Done(cancelled_outcome(found.shown), found.place, revision=revision))
        except CaseTrackError as error:
            if not isinstance(error, _OF_ONE_FILE) and error is not found.problem:
                raise
            status = failure(found, error, time.perf_counter() - started)
            desk.put(Done(status, found.place, revision=revision))
            return error if status.status == "failed" and isinstance(error, FileError) else None
        return None

    def _read_attachments(self, found: FoundFile, job: Job, taken: Taken) -> list[str]:
        """Take in the files inside a file, and let go of those that it no longer holds.

        Returns
        -------
        list of str
            Names of those that could not be read.
        """
        lost: list[str] = []
        depth = found.parent.depth + 1 if found.parent else 1
        inside: list[FoundFile] = []
        is_whole = found.origin is not None and found.origin.is_whole
        for attachment in () if is_whole else taken.attachments:
            inside.append(attached_file(found, job, taken, attachment, depth, inside))
        if taken.document is not None and not taken.document.unread:
            # A file that was read in part may hold more than it has shown.
            gone = self.desk.let_go(job, but={child.shown for child in inside})
            if gone:
                self.desk.put(Gone(tuple(gone)))
        for child in inside:
            if depth > self.attachment_depth:
                problem = ParseLimit(
                    child.shown,
                    f"attachments are read {self.attachment_depth} deep (attachment_depth)",
                )
                child = replace(child, problem=problem)  # noqa: PLW2901 - same file, refused
            if self.read(child) is not None:
                lost.append(child.parent.name if child.parent else child.shown)
            if self.desk.is_cancelled:
                raise Stopped
        return lost


# Stores what readers of files tell: one writer, one outcome per file.


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
