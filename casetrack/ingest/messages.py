"""Messages from the reading threads to the writing thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from casetrack.ingest.discover import FoundFile, Parent
from casetrack.ingest.outcomes import failure, success

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.build import FileResult
    from casetrack.ingest.plan import Job
    from casetrack.parse.base import Attachment


@dataclass(frozen=True, slots=True)
class Chunks:
    """Chunks of a revision."""

    table: pa.Table


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a file; *document* is set on success."""

    outcome: FileOutcome
    place: tuple[int, ...]
    document: Document | None = None
    replaces: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """A file with the content of another one of the batch, at *first*."""

    path: str
    first: str
    place: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gone:
    """Attachments that their file no longer contains."""

    documents: tuple[Document, ...]


Message = Chunks | Done | Gone | Repeat


def duplicate_of(
    document: Document | None, stored: Mapping[tuple[str, bool], FileOutcome], /
) -> FileOutcome | None:
    """Return the outcome of an earlier file of this batch with the same bytes, or ``None``."""
    if document is None or document.source is not None:
        return None
    twin = stored.get((document.file_hash, False))
    if twin is None and document.parent_id is not None:
        twin = stored.get((document.file_hash, True))
    return twin


def without_lost(taken: FileResult, lost: Sequence[str], /) -> FileResult:
    """Return a file as partially read if some of its attachments could not be read."""
    if taken.document is None or not lost:
        return taken
    names = ", ".join(f'"{name}"' for name in lost)
    noun = "The attachment" if len(lost) == 1 else "The attachments"
    missing = (*taken.document.missing, f"{noun} {names} could not be read.")
    return replace(taken, document=replace(taken.document, missing=missing))


def finished_file(
    file: FoundFile, job: Job, revision: str, taken: FileResult, seconds: float, /
) -> Done:
    """Return the message for the end of a file."""
    if taken.document is None:
        problem = taken.problem
        if problem is None:
            raise AssertionError("a file without a document needs a reason")
        return Done(failure(file, problem, seconds), file.place, revision=revision)
    replaces = job.previous.revision if job.previous else None
    outcome = success(taken.document, job, seconds)
    return Done(outcome, file.place, taken.document, replaces, revision)


def attached_file(
    file: FoundFile,
    job: Job,
    taken: FileResult,
    attachment: Attachment,
    depth: int,
    before: Sequence[FoundFile],
    /,
) -> FoundFile:
    """Return an attachment as a file to ingest, with a path that is not in *before*."""
    used = {sibling.shown for sibling in before}
    place = (*file.place, len(before) + 1)
    whole = PurePosixPath(attachment.name)
    count = 1
    while True:
        name = str(whole if count == 1 else whole.with_stem(f"{whole.stem} ({count})"))
        parent = Parent(
            document_id=taken.document.document_id if taken.document else None,
            shown=file.shown,
            modified_at=file.parent.modified_at if file.parent else job.facts.modified_at,
            depth=depth,
            name=name,
        )
        origin = file.origin.of_attachment(name) if file.origin else None
        child = FoundFile(attachment.path, False, None, parent, None, origin, place)
        if child.shown not in used:
            return child
        count += 1
