"""Records of long work that other programs can read and that outlive their process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from casetrack.base.dataclass import asdict, dataclass, fields
from casetrack.base.records.shape import FieldFormat, Record

JobKind = Literal["ingest", "sync", "reindex", "export", "import", "restore", "upkeep", "models"]
JobState = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
JOB_KINDS: tuple[JobKind, ...] = get_args(JobKind)
JOB_STATES: tuple[JobState, ...] = get_args(JobState)

_MOMENTS = ("created_at", "started_at", "updated_at", "ended_at")
_LISTED = 100
_FIRST = {"failed": 0, "partial": 1, "missing": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Record):
    """The present state of one piece of long work."""

    id: str  # short and readable, such as `j-7f3a2c`
    kind: JobKind
    title: str  # for users, such as `Ingest of Contracts`
    # collection_id, collection: `None` if the work creates the collection.
    collection_id: str | None
    collection: str | None
    # `queued` before the first progress; `cancelled` on request; `interrupted` if its process or
    # its client ended.
    state: JobState
    created_at: datetime
    started_at: datetime | None = None
    updated_at: datetime
    ended_at: datetime | None = None
    # what, done, total: present step, its finished and its total items (0: unknown).
    what: str = ""
    done: int = 0
    total: int = 0
    remaining_seconds: float | None = None  # estimate from the rate so far, or `None`
    # result, error: JSON form of the report, with long lists shortened by `bounded`; and
    # `{"code", "message", "hint"}` of a failed or interrupted job.
    result: dict[str, Any] | None = None
    error: dict[str, str] | None = None
    # pid, process_started, host: process id, its start in seconds since 1970, and its machine.
    pid: int
    process_started: float
    host: str
    # The tool call `{"edition", "tool", "arguments"}` that a server may repeat to resume the job;
    # never with a password.
    call: Annotated[dict[str, Any] | None, FieldFormat(json=False, row=False)] = None

    @property
    def active(self) -> bool:
        """Whether it is queued or running."""
        return self.state in {"queued", "running"}

    @property
    def waiting(self) -> bool:
        """Whether it waits for another writer."""
        return self.state == "queued" or self.what.startswith("waiting for")

    def as_record(self) -> dict[str, Any]:
        """Return the form for its file: :meth:`as_dict` with exact times."""
        raw = asdict(self)
        times = {name: raw[name].isoformat() if raw[name] else None for name in _MOMENTS}
        return raw | times

    @classmethod
    def from_record(cls, raw: Mapping[str, Any], /) -> Job:
        """Parse the record of a job.

        Raises ``ValueError`` or ``KeyError`` or ``TypeError``: it is not a record of a job.
        """
        values = {f.name: raw[f.name] for f in fields(cls)}
        for name in _MOMENTS:
            if values[name] is not None:
                values[name] = datetime.fromisoformat(values[name]).astimezone(UTC)
        job = cls(**values)
        _check(job)
        return job


def _check(job: Job) -> None:
    """Raise ``ValueError`` for values that the program cannot handle."""
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
    """Return a JSON value with lists of at most *most* entries, failures first.

    Next to a shortened list ``x``, ``x_omitted`` counts the rest.
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
    """Return the sort key of an entry; entries that need attention come first."""
    named = entry.get("status", entry.get("kind")) if isinstance(entry, dict) else None
    return _FIRST.get(named, len(_FIRST)) if isinstance(named, str) else len(_FIRST)
