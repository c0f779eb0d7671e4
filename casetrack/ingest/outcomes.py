"""How one file ended, in words and numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.base.errors import DuplicateDocument, FreeTierLimit
from casetrack.base.records import FileOutcome

if TYPE_CHECKING:
    from casetrack.base.errors import CaseTrackError
    from casetrack.base.records import Document
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
"""Reasons why a file in a folder is left out; where the user named it, it has failed."""


def success(document: Document, job: Job, seconds: float, /) -> FileOutcome:
    """Return the outcome of a file that is in the collection now."""
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


def failure(found: FoundFile, error: CaseTrackError, seconds: float, /) -> FileOutcome:
    """Return the outcome of a file that is not: left out, or failed, and what to do."""
    skipped = error.code in _SKIPPED and not (error.code in _FAILED_IF_NAMED and found.named)
    document = error if isinstance(error, DuplicateDocument) else None
    message, hint = error.message, error.hint
    if isinstance(error, FreeTierLimit):
        message = f"{found.shown} was not added: {error.fact}"
        hint = " ".join(filter(None, (error.step, error.hint)))
    return FileOutcome(
        path=found.shown,
        status="skipped" if skipped else "failed",
        code=error.code,
        # An attachment is known by the file that holds it, not by where its copy lay.
        message=message.replace(str(found.path), found.shown),
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
    """Return the outcome of a file with the same content as *first*, which ended as *original*."""
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
