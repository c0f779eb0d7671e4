"""Concurrent reading of files with their attachments, and storage by one writer."""

from __future__ import annotations

import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from casetrack.base import errors
from casetrack.ingest import messages
from casetrack.ingest.build import DocumentBuilder, FileResult, Stopped
from casetrack.ingest.outcomes import Reservation, cancelled_outcome, failure, repeated
from casetrack.store.originals import drop_copies

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.plan import Job
    from casetrack.store.session import WriteSession

_OF_ONE_FILE = (errors.FileError, errors.DuplicateDocument, errors.FreeTierLimit)
"""Errors of one file that do not affect others."""


class IngestContext(Protocol):
    """Interface of a file reader to its batch."""

    def begin(self, file: FoundFile, /) -> tuple[Job, str] | str:
        """Return the job for a file and its revision, or the path of a duplicate."""

    def removed_attachments(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        """See :meth:`casetrack.ingest.plan.IngestPlanner.removed_attachments`."""

    def reserve(self) -> AbstractContextManager[Reservation | None]:
        """See :meth:`casetrack.ingest.outcomes.Quota.reserve`."""

    def put(self, message: messages.Message, /) -> None:
        """Send a message to the writer."""

    @property
    def is_cancelled(self) -> bool:
        """Whether the user cancelled the batch."""

    @property
    def is_aborted(self) -> bool:
        """Whether the batch has failed, so that outcomes are no longer recorded."""


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads files one by one."""

    batch: IngestContext
    builder: DocumentBuilder
    spool: Path
    attachment_depth: int
    tell: Callable[[str], None]

    def read(self, file: FoundFile, /) -> errors.FileError | None:
        """Ingest one file and send its outcome; return the error of a failed one."""
        started = time.perf_counter()
        batch, revision = self.batch, None
        try:
            if batch.is_cancelled:
                raise Stopped
            if file.problem is not None:
                raise file.problem
            begun = batch.begin(file)
            if isinstance(begun, str):
                batch.put(messages.Repeat(file.shown, begun, file.place))
                return None
            job, revision = begun
            self.tell(file.shown)
            adds = job.previous is None and file.parent is None
            reserved = batch.reserve() if adds else nullcontext(Reservation())
            with reserved as place:
                if place is None:
                    raise Stopped
                with tempfile.TemporaryDirectory(dir=self.spool) as spool:
                    taken = self.builder.build(file, job, revision, Path(spool))
                    seconds = time.perf_counter() - started
                    # Attachments first: an unchanged file then has unchanged attachments.
                    lost = self._read_attachments(file, job, taken)
                place.used = taken.document is not None
            taken = messages.without_lost(taken, lost)
            batch.put(messages.finished_file(file, job, revision, taken, seconds))
        except Stopped:
            if batch.is_aborted:
                raise
            batch.put(messages.Done(cancelled_outcome(file.shown), file.place, revision=revision))
        except errors.CaseTrackError as error:
            if not isinstance(error, _OF_ONE_FILE) and error is not file.problem:
                raise
            status = failure(file, error, time.perf_counter() - started)
            batch.put(messages.Done(status, file.place, revision=revision))
            return (
                error if status.status == "failed" and isinstance(error, errors.FileError) else None
            )
        return None

    def _read_attachments(self, file: FoundFile, job: Job, taken: FileResult) -> list[str]:
        """Ingest the attachments of a file, and remove earlier ones; return unreadable names."""
        lost: list[str] = []
        depth = file.parent.depth + 1 if file.parent else 1
        inside: list[FoundFile] = []
        is_whole = file.origin is not None and file.origin.is_whole
        for attachment in () if is_whole else taken.attachments:
            inside.append(messages.attached_file(file, job, taken, attachment, depth, inside))
        if taken.document is not None and not taken.document.unread:
            # A partially read file may contain more attachments.
            gone = self.batch.removed_attachments(job, but={child.shown for child in inside})
            if gone:
                self.batch.put(messages.Gone(tuple(gone)))
        for child in inside:
            if depth > self.attachment_depth:
                problem = errors.ParseLimit(
                    child.shown,
                    f"attachments are read {self.attachment_depth} deep (attachment_depth)",
                )
                child = replace(child, problem=problem)  # noqa: PLW2901 - same file with its error
            if self.read(child) is not None:
                lost.append(child.parent.name if child.parent else child.shown)
            if self.batch.is_cancelled:
                raise Stopped
        return lost


# Storage of the messages: one writer, one outcome per file.


class Recorder:
    """Processes the messages of one batch under the write lock; counts finished files."""

    def __init__(self, folder: Path, session: WriteSession, /, *, force: bool) -> None:
        self._folder = folder
        self._session = session
        self._force = force
        self._outcomes: dict[str, tuple[tuple[int, ...], FileOutcome]] = {}
        self._repeats: list[messages.Repeat] = []
        self._stored: dict[tuple[str, bool], FileOutcome] = {}
        self.done = 0

    def record(self, message: messages.Message, /) -> None:
        """Process a message."""
        match message:
            case messages.Chunks(table):
                self._session.append(table)
            case messages.Gone(documents):
                self._session.delete(documents)
                drop_copies(self._folder, documents)
            case messages.Repeat(place=place):
                self._repeats.append(message)
                self.done += len(place) == 1
            case messages.Done():
                self._end(message)

    def _end(self, message: messages.Done) -> None:
        outcome, document = message.outcome, message.document
        twin = messages.duplicate_of(document, self._stored)
        if twin is not None and message.replaces is None and not self._force:
            # Two files of this batch with equal bytes and different extensions.
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
        """Return the outcomes of all files in order, each followed by its attachments."""
        ended = list(self._outcomes.values())
        for repeat in self._repeats:
            _, first = self._outcomes.get(repeat.first, ((), None))
            same = cancelled_outcome(repeat.path)
            if first is not None:
                same = repeated(repeat.path, repeat.first, first)
            ended.append((repeat.place, same))
        return [outcome for _, outcome in sorted(ended, key=lambda each: each[0])]
