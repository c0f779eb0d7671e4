"""Outcomes of files."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError, DuplicateDocument, FreeTierLimit
from casetrack.base.records import Document, FileOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.plan import Job

_SKIPPED = {
    "duplicate",
    "unsupported_format",
    "empty_file",
    "no_text",
    "excluded",
    "cancelled",
    FreeTierLimit.code,
}
_FAILED_IF_NAMED = {"unsupported_format", FreeTierLimit.code}
"""Reasons to skip a file of a folder; if the user named the file, it is a failure."""


def success(document: Document, job: Job, seconds: float, /) -> FileOutcome:
    """Return the outcome of a file that was added."""
    return FileOutcome(
        path=job.shown,
        status="partial" if document.missing else "ingested",
        message=" ".join(document.missing),
        updated=job.previous is not None,
        document_id=document.document_id,
        document_name=document.name,
        pages=document.page_count,
        chunks=document.chunk_count,
        seconds=seconds,
        warnings=document.warnings,
    )


def failure(file: FoundFile, error: CaseTrackError, seconds: float, /) -> FileOutcome:
    """Return the outcome of a file that was skipped or failed, with the next step."""
    skipped = error.code in _SKIPPED and not (error.code in _FAILED_IF_NAMED and file.named)
    document = error if isinstance(error, DuplicateDocument) else None
    message, hint = error.message, error.hint
    if isinstance(error, FreeTierLimit):
        message = f"{file.shown} was not added: {error.fact}"
        hint = " ".join(filter(None, (error.step, error.hint)))
    return FileOutcome(
        path=file.shown,
        status="skipped" if skipped else "failed",
        code=error.code,
        # An attachment is shown by its containing file, not by its temporary copy.
        message=message.replace(str(file.path), file.shown),
        hint=hint,
        document_id=document.document_id if document else None,
        document_name=document.document_name if document else None,
        seconds=seconds,
    )


def cancelled_outcome(path: str, /) -> FileOutcome:
    """Return the outcome of a file that was not finished when the batch was stopped."""
    return FileOutcome(
        path=path,
        status="skipped",
        code="cancelled",
        message="Stopped before it was finished.",
        hint="Run the same command again to go on.",
    )


def repeated(path: str, first: str, original: FileOutcome, /) -> FileOutcome:
    """Return the outcome of a file with the content of *first*, whose outcome is *original*."""
    if original.document_id is None:
        message = original.message.replace(first, path)
        return replace(original, path=path, message=message, seconds=0.0)
    name = original.document_name or PurePath(first).name
    duplicate = DuplicateDocument(path, name, original.document_id)
    return FileOutcome(
        path=path,
        status="skipped",
        code=duplicate.code,
        message=duplicate.message,
        hint=duplicate.hint,
        document_id=original.document_id,
        document_name=name,
    )


# Number of new documents that a batch may add under the limit of a tier. Files are read
# concurrently, and not each becomes a document. So near the limit a file reserves a place before it
# is read, and releases it if it fails; without a free place, it waits for the files being read
# before it is refused.

_POLL_SECONDS = 0.2


class Reservation:
    """The place of one file; *used* says whether it became a document."""

    def __init__(self) -> None:
        self.used = False


class Quota:
    """Thread-safe reservations of places; *allow* raises :class:`FreeTierLimit` when full."""

    def __init__(self, held: int, allow: Callable[[int], None], /) -> None:
        self._held = held
        self._allow = allow
        self._reading = 0
        self._changed = threading.Condition()

    @contextmanager
    def reserve(self, given_up: Callable[[], bool], /) -> Iterator[Reservation | None]:
        """Hold a place while a file is read; yield ``None`` if *given_up* becomes true first."""
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
    """Return the number of documents that count towards a limit: no attachments, none of *but*."""
    return sum(d.parent_id is None and d.document_id not in but for d in documents)


def limit_notes(outcomes: Sequence[FileOutcome], /) -> tuple[str, ...]:
    """Return a note on the refused files; empty without any."""
    refused = [o for o in outcomes if o.code == FreeTierLimit.code]
    if not refused:
        return ()
    files = "1 file was" if len(refused) == 1 else f"{len(refused):,} files were"
    last = refused[-1]
    reason = (last.message or "").removeprefix(f"{last.path} was not added: ")
    return (" ".join(filter(None, (f"{files} not added: {reason}", last.hint))),)
