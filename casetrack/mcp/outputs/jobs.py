"""Long work as a job."""

from typing import Any

from typing_extensions import TypedDict


class JobError(TypedDict):
    """Why a job failed, and what to do."""

    code: str
    message: str
    hint: str


class JobOutput(TypedDict):
    """Work in the background; its state is queued, running or one of the ways to end."""

    job_id: str
    kind: str
    title: str
    collection: str | None
    state: str
    what: str
    done: int
    total: int
    remaining_seconds: float | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    error: JobError | None


class JobsOutput(TypedDict):
    """Jobs, newest first; with one job its result, which is that of the tool that began it.

    ``jobs_omitted`` counts those behind the ones listed, ``next_offset`` is where they begin.
    """

    jobs: list[JobOutput]
    jobs_omitted: int
    next_offset: int | None
    result: dict[str, Any] | None
    more: str | None
