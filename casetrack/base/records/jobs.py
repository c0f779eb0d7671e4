"""Jobs: long work as a record that other programs can read, and that outlives its process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from casetrack.base.records.shape import FieldFormat, Record

JobKind = Literal["ingest", "sync", "reindex", "export", "import", "restore", "upkeep", "models"]
JobState = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
JOB_KINDS: tuple[JobKind, ...] = get_args(JobKind)
JOB_STATES: tuple[JobState, ...] = get_args(JobState)

_MOMENTS = ("created_at", "started_at", "updated_at", "ended_at")
_LISTED = 100
_FIRST = {"failed": 0, "partial": 1, "missing": 2}


@dataclass(frozen=True, slots=True)
class Job(Record):
    """One piece of long work, as far as it is known at this moment.

    Attributes
    ----------
    id
        Short and readable, such as ``j-7f3a2c``.
    title
        What is done, for people, such as ``Ingest of Contracts``.
    collection_id, collection
        Id and name of the collection; ``None`` where the work makes one.
    state
        ``queued`` until the work reports for the first time; ``cancelled`` where somebody asked
        for its end; ``interrupted`` where its process is gone, or its client is.
    what, done, total
        What is being done now, how much of it is done, and of how much (0: not known yet).
    remaining_seconds
        Estimate from the rate so far; ``None`` until that means something.
    result
        The report of the work in its JSON form, long lists cut, see :func:`bounded`.
    error
        ``{"code", "message", "hint"}`` of a job that failed or was interrupted.
    pid, process_started, host
        The process that does the work: its number, its start in seconds since 1970, its machine.
    call
        The call of a tool that began it, ``{"edition", "tool", "arguments"}``, where a server may
        make it again to go on; never with a password.
    """

    id: str
    kind: JobKind
    title: str
    collection_id: str | None
    collection: str | None
    state: JobState
    created_at: datetime
    started_at: datetime | None
    updated_at: datetime
    ended_at: datetime | None
    what: str
    done: int
    total: int
    remaining_seconds: float | None
    result: dict[str, Any] | None
    error: dict[str, str] | None
    pid: int
    process_started: float
    host: str
    call: Annotated[dict[str, Any] | None, FieldFormat(json=False, row=False)] = None

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in {"queued", "running"}

    @property
    def waiting(self) -> bool:
        """Whether it waits for another writer."""
        return self.state == "queued" or self.what.startswith("waiting for")

    def as_record(self) -> dict[str, Any]:
        """Return the form that is kept in a file: as :meth:`as_dict`, with exact times."""
        raw = asdict(self)
        times = {name: raw[name].isoformat() if raw[name] else None for name in _MOMENTS}
        return raw | times

    @classmethod
    def from_record(cls, raw: Mapping[str, Any], /) -> Job:
        """Return the job of a record.

        Raises
        ------
        ValueError, KeyError, TypeError
            It is not one.
        """
        values = {f.name: raw[f.name] for f in fields(cls) if f.name != "call"}
        values["call"] = raw.get("call")  # older records have none
        for name in _MOMENTS:
            if values[name] is not None:
                values[name] = datetime.fromisoformat(values[name]).astimezone(UTC)
        job = cls(**values)
        _check(job)
        return job


def _check(job: Job) -> None:
    """Refuse what the rest of the program would stumble over."""
    texts = (job.id, job.title, job.what, job.host, job.collection or "", job.collection_id or "")
    numbers = (job.done, job.total, job.pid)
    fits = (
        job.kind in JOB_KINDS
        and job.state in JOB_STATES
        and all(isinstance(text, str) for text in texts)
        and all(type(number) is int for number in numbers)
        and isinstance(job.result, dict | None)
        and isinstance(job.error, dict | None)
        and isinstance(job.call, dict | None)
        and isinstance(job.created_at, datetime)
        and isinstance(job.updated_at, datetime)
        and math.isfinite(job.process_started)
        and math.isfinite(job.remaining_seconds or 0.0)
    )
    if not fits:
        raise ValueError("not the record of a job")


def bounded(value: Any, /, *, most: int = _LISTED) -> Any:
    """Return a JSON value whose lists are cut, those of a failure first.

    Parameters
    ----------
    value
        The JSON form of a report.
    most
        Entries of a list that are kept. Beside a list ``x`` that is cut, ``x_omitted`` counts
        the rest.
    """
    if isinstance(value, dict):
        result: dict[str, Any] = {}
        for name, member in value.items():
            result[name] = bounded(member, most=most)
            if isinstance(member, (list, tuple)) and len(member) > most:
                result[f"{name}_omitted"] = len(member) - most
        return result
    if isinstance(value, (list, tuple)):
        kept = sorted(value, key=_urgency)[:most] if len(value) > most else value
        return [bounded(member, most=most) for member in kept]
    return value


def _urgency(entry: Any) -> int:
    """Return the place of a list's entry; what needs attention stays in the part that is kept."""
    named = entry.get("status", entry.get("kind")) if isinstance(entry, dict) else None
    return _FIRST.get(named, len(_FIRST)) if isinstance(named, str) else len(_FIRST)
