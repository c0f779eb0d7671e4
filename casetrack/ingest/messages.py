"""What the threads that read files tell the one that writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.ingest.discover import FoundFile, Parent
from casetrack.ingest.outcomes import failure, success

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.build import Taken
    from casetrack.ingest.plan import Job
    from casetrack.parse.base import Attachment


@dataclass(frozen=True, slots=True)
class Chunks:
    """Message to the writer: chunks of a revision."""

    table: pa.Table


@dataclass(frozen=True, slots=True)
class Done:
    """Message to the writer: a file has ended; *document* is set where it succeeded."""

    outcome: FileOutcome
    place: tuple[int, ...]
    document: Document | None = None
    replaces: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """Message to the writer: a file has the content of another one of the batch, at *first*."""

    path: str
    first: str
    place: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gone:
    """Message to the writer: attachments that their file no longer holds."""

    documents: tuple[Document, ...]


Message = Chunks | Done | Gone | Repeat


def twin_of(
    document: Document | None, stored: Mapping[tuple[str, bool], FileOutcome], /
) -> FileOutcome | None:
    """Return the outcome of a file of this batch with the same bytes.

    A file of its own is not the twin of an attachment, which goes when its mail goes; what a source
    lists is no other's twin.
    """
    if document is None or document.source is not None:
        return None
    twin = stored.get((document.file_hash, False))
    if twin is None and document.parent_id is not None:
        twin = stored.get((document.file_hash, True))
    return twin


def without_lost(taken: Taken, lost: Sequence[str], /) -> Taken:
    """Return a file as read in part where some of its attachments could not be read."""
    if taken.document is None or not lost:
        return taken
    names = ", ".join(f'"{name}"' for name in lost)
    noun = "The attachment" if len(lost) == 1 else "The attachments"
    missing = (*taken.document.missing, f"{noun} {names} could not be read.")
    return replace(taken, document=replace(taken.document, missing=missing))


def finished_file(
    found: FoundFile, job: Job, revision: str, taken: Taken, seconds: float, /
) -> Done:
    """Return the message that a file has ended."""
    if taken.document is None:
        problem = taken.problem
        if problem is None:
            raise AssertionError("a file without a document needs a reason")
        return Done(failure(found, problem, seconds), found.place, revision=revision)
    replaces = job.previous.revision if job.previous else None
    outcome = success(taken.document, job, seconds)
    return Done(outcome, found.place, taken.document, replaces, revision)


def attached_file(
    found: FoundFile,
    job: Job,
    taken: Taken,
    attachment: Attachment,
    depth: int,
    before: Sequence[FoundFile],
    /,
) -> FoundFile:
    """Return an attachment as a file to ingest, with a path that none of those *before* has."""
    used = {sibling.shown for sibling in before}
    place = (*found.place, len(before) + 1)
    stem, suffix = Path(attachment.name).stem, Path(attachment.name).suffix
    count = 1
    while True:
        name = attachment.name if count == 1 else f"{stem} ({count}){suffix}"
        parent = Parent(
            document_id=taken.document.document_id if taken.document else None,
            shown=found.shown,
            modified_at=found.parent.modified_at if found.parent else job.facts.modified_at,
            depth=depth,
            name=name,
        )
        origin = found.origin.of_attachment(name) if found.origin else None
        child = FoundFile(attachment.path, False, None, parent, None, origin, place)
        if child.shown not in used:
            return child
        count += 1
