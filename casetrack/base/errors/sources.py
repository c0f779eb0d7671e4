"""Errors about places that documents come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors.base import CaseTrackError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


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


class ConfigError(UsageError):
    """A config of sources cannot be used; nothing was done.

    Parameters
    ----------
    problem
        What is wrong, without a full stop.
    hint
        The next step.
    files
        The file, or those that say it together.
    line
        Where, from 1; 0 where there is no such place.
    """

    code = "config"

    def __init__(self, problem: str, hint: str, *files: Path, line: int = 0) -> None:
        where = " over ".join(map(str, files)) + (f", line {line}" if line else "")
        super().__init__(f"{problem}. (In {where})", hint=hint)
