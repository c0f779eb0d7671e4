"""The files that an ingest or a sync did not take, as far as the records of jobs still tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from casetrack.records.jobs import Job

_LISTS = ("outcomes", "changes")
"""Where the report of an ingest, and that of a sync, list the files."""
_NOT_TAKEN = ("failed", "skipped")
_COPY = "duplicate"


@dataclass(frozen=True, slots=True)
class Untaken:
    """A file that is not in the collection.

    Attributes
    ----------
    path
        Where it was.
    failed
        Whether it should have been read and could not; otherwise it was left out on purpose.
    reason, remedy
        Why, and what to do, for people.
    """

    path: str
    failed: bool
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class UntakenFiles:
    """What the records of a collection's jobs say of files that were not taken.

    Attributes
    ----------
    files
        By path: those that failed first.
    copies
        Number of files that were left out since the collection holds their content already.
    unlisted
        So many more a single record counts without naming them.
    jobs
        Number of records that were read; with 0 of them nothing is known.
    since
        When the oldest of these jobs began.
    """

    files: tuple[Untaken, ...] = ()
    copies: int = 0
    unlisted: int = 0
    jobs: int = 0
    since: datetime | None = None


def untaken_files(jobs: Iterable[Job], present: Collection[str], /) -> UntakenFiles:
    """Return the files that were not taken when they were last tried, and are not there now.

    Parameters
    ----------
    jobs
        Of the collection, in any order. Those without a report, and rehearsals, do not count.
    present
        Paths of the documents that the collection holds.
    """
    told = [job for job in jobs if job.result and not job.result.get("dry_run")]
    told = [job for job in told if any(name in (job.result or {}) for name in _LISTS)]
    told.sort(key=lambda job: job.created_at, reverse=True)
    last: dict[str, Mapping[str, Any]] = {}
    for job in told:
        for entry in _entries(job.result or {}):
            last.setdefault(str(entry.get("path", "")), entry)
    missed = [e for path, e in last.items() if path not in present and _is_missed(e)]
    files = [
        Untaken(
            str(e["path"]),
            _status(e) == "failed",
            str(e.get("message", "")),
            str(e.get("hint", "")),
        )
        for e in missed
        if e.get("code") != _COPY
    ]
    return UntakenFiles(
        files=tuple(sorted(files, key=lambda f: (not f.failed, f.path))),
        copies=len(missed) - len(files),
        unlisted=max((_unlisted(job.result or {}) for job in told), default=0),
        jobs=len(told),
        since=told[-1].created_at if told else None,
    )


def _entries(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in _LISTS:
        yield from (e for e in result.get(name) or () if isinstance(e, dict))


def _status(entry: Mapping[str, Any]) -> str:
    return str(entry.get("status", entry.get("kind", "")))


def _is_missed(entry: Mapping[str, Any]) -> bool:
    return _status(entry) in _NOT_TAKEN


def _unlisted(result: Mapping[str, Any]) -> int:
    """Return how many such files a record counts beyond those it names: long lists are cut."""
    counts = result.get("counts") or {}
    total = sum(int(counts.get(status, 0)) for status in _NOT_TAKEN)
    return max(0, total - sum(map(_is_missed, _entries(result))))


__all__ = ["Untaken", "UntakenFiles", "untaken_files"]
