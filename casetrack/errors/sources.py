"""Errors about places that documents come from."""

from __future__ import annotations

from casetrack.errors.base import CaseTrackError


class SourceError(CaseTrackError):
    """A source cannot be listed or read; what a collection has of it stays.

    Parameters
    ----------
    source
        As users write it: ``git:platform``.
    message
        What happened, one sentence.
    hint
        The next step.
    """

    code = "source_failed"

    def __init__(self, source: str, message: str, *, hint: str = "") -> None:
        self.source = source
        super().__init__(f"{source}: {message}", hint=hint)


class SourceChanged(SourceError):
    """An item was changed between its listing and its reading."""

    code = "source_changed"


class SourceSkipped(SourceError):
    """An item has nothing to read for good: it is a pointer, or larger than what is read."""

    code = "source_skipped"
