"""Records of jobs while work runs, when it ends, and when its process dies."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import DiskFull, JobNotFound, JobStopped, UsageError
from casetrack.base.jobs import JobStore, files
from casetrack.base.jobs.running import Pace
from casetrack.base.records import CollectionInfo, IngestProgress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.base.records.jobs import Job


@pytest.fixture
def jobs(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path / "data")


@pytest.fixture
def info(library: Library) -> CollectionInfo:
    return library.create("Acme").info


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for *condition*; fail with an assertion after a timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


class Report:
    """The report of some work."""

    def __init__(self, *, cancelled: bool = False) -> None:
        self.cancelled = cancelled

    def as_dict(self) -> dict[str, Any]:
        return {"files": 3, "cancelled": self.cancelled}


def test_a_job_from_beginning_to_end(jobs: JobStore, info: CollectionInfo) -> None:
    other = JobStore(jobs.folder.parent)
    with jobs.run("ingest", title="Ingest of /in", collection=info) as job:
        waiting = other.get(job.id)
        assert (waiting.state, waiting.done, waiting.started_at) == ("queued", 0, None)
        job.record_progress(IngestProgress(1, 3, "/in/a/Lease.pdf", 12, 40))
        until(lambda: other.get(job.id).state == "running")
        running = other.get(job.id)
        assert (running.what, running.done, running.total) == ("reading Lease.pdf", 1, 3)
        assert (running.collection, running.collection_id) == ("Acme", info.id)
        assert other.list() == (running,)
        job.result(Report().as_dict())
    ended = JobStore(jobs.folder.parent).get(job.id)
    assert (ended.state, ended.result) == ("done", {"files": 3, "cancelled": False})
    assert ended.error is None
    assert ended.started_at is not None
    assert ended.ended_at is not None
    assert ended.created_at <= ended.started_at <= ended.ended_at
    assert json.loads(json.dumps(ended.as_dict()))["id"] == job.id
    assert [path.name for path in jobs.folder.iterdir()] == [f"{job.id}.json"]


@pytest.mark.parametrize(
    ("error", "state", "code"),
    [
        (DiskFull("/data"), "failed", "disk_full"),
        (JobStopped("Stopped."), "cancelled", "cancelled"),
        (ZeroDivisionError("by zero"), "failed", "unexpected"),
        (KeyboardInterrupt(), "cancelled", None),
    ],
)
def test_an_error_ends_the_job_and_goes_on(
    jobs: JobStore, error: BaseException, state: str, code: str | None
) -> None:
    with pytest.raises(type(error)), jobs.run("ingest", title="T") as job:
        raise error
    ended = jobs.get(job.id)
    assert ended.state == state
    assert (ended.error or {}).get("code") == code
    if isinstance(error, DiskFull):
        assert ended.error == error.as_dict()


def test_progress_never_goes_back_within_a_phase(jobs: JobStore) -> None:
    with jobs.run("reindex", title="T") as job:
        seen = []
        for done in (0, 3, 2, 5, 4, 9):
            job.report("embedding", done, 9)
            seen.append(job.job.done)
        assert seen == [0, 3, 3, 5, 5, 9]
        job.report("storing", 0, 9)
        assert (job.job.what, job.job.done) == ("storing", 0)


@pytest.mark.parametrize(
    ("moments", "now", "total", "expected"),
    [
        ([], 9.0, 10, None),
        ([(0.0, 0), (1.0, 5)], 1.0, 10, None),
        ([(0.0, 0), (9.0, 1)], 9.0, 10, None),
        ([(0.0, 0), (4.0, 2)], 4.0, 10, 16.0),
        ([(0.0, 0), (4.0, 2)], 8.0, 10, 32.0),
        ([(0.0, 0), (5.0, 10)], 5.0, 10, 0.0),
        # A thousand known files pass at once; the rate of the new ones counts.
        (
            [(0.0, 0), (0.1, 1000), *((20.0 * n, 1000 + n) for n in range(1, 30))],
            580.0,
            1034,
            100.0,
        ),
    ],
)
def test_the_estimate_means_something_or_is_none(
    moments: list[tuple[float, int]], now: float, total: int, expected: float | None
) -> None:
    pace = Pace()
    for moment, done in moments:
        pace.note(moment, done)
    assert pace.remaining(now, total) == expected


def test_asking_for_the_end_is_heard_within_a_second(jobs: JobStore) -> None:
    cancel = threading.Event()
    with jobs.run("sync", title="T", cancel=cancel) as job:
        asked = JobStore(jobs.folder.parent).request_cancel(job.id.removeprefix("j-"))
        assert asked.active
        assert cancel.wait(1.0)
        job.result({}, cancelled=True)
    assert jobs.get(job.id).state == "cancelled"
    assert jobs.request_cancel(job.id).state == "cancelled"
    assert list(jobs.folder.glob("*.cancel")) == []


def test_who_is_waited_for(jobs: JobStore, info: CollectionInfo) -> None:
    received: list[Any] = []
    with (
        jobs.run("ingest", title="Ingest of /first", collection=info) as first,
        jobs.run("ingest", title="Ingest of /second", collection=info) as second,
        jobs.run("ingest", title="Ingest of /elsewhere") as third,
    ):
        first.report("reading a.txt", 0, 5)
        work = threading.Thread(target=second.do, args=(_wait, lambda *news: received.append(news)))
        work.start()
        until(lambda: jobs.get(second.id).what == "waiting for: Ingest of /first")
        assert jobs.get(second.id).state == "queued"
        assert received[0] == ("waiting for: Ingest of /first", 0, 0)
        assert jobs.get(third.id).what == ""
        second.cancel.set()
        work.join()


def _wait(_progress: Any, cancel: threading.Event) -> Report:
    cancel.wait(60)
    return Report(cancelled=True)


def _dead(job: Job) -> Job:
    return replace(job, process_started=job.process_started - 1000.0)


def test_a_job_without_its_process_is_put_right(
    jobs: JobStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Its number may belong to another process by now: here, to this one."""
    with jobs.run("ingest", title="Ingest of /in") as job:
        job.report("reading a.txt", 2, 5)
        running = job.job
    files.write(jobs.folder, _dead(running), durable=False)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        (result,) = jobs.list()
        (again,) = jobs.list()
    assert result.state == again.state == "interrupted"
    assert result.done == 2
    assert result.error is not None
    assert result.error["hint"]
    assert result.ended_at is not None
    assert [r.name for r in caplog.records] == ["casetrack.repairs"]
    assert "Ingest of /in" in caplog.text


def test_a_job_of_another_machine_counts_while_it_is_heard_of(jobs: JobStore) -> None:
    with jobs.run("ingest", title="T") as job:
        job.report("x", 0, 1)
        running = replace(job.job, host="elsewhere", pid=1, process_started=1.0)
    files.write(jobs.folder, running, durable=False)
    assert jobs.get(job.id).state == "running"
    silent = replace(running, updated_at=datetime(2024, 1, 1, tzinfo=UTC))
    files.write(jobs.folder, silent, durable=False)
    assert jobs.get(job.id).state == "interrupted"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"id": "j-00000a"}',
        b"\xff\xfe",
        b"[" * 100_000,
        "other id",
        "state",
        "done",
        "created_at",
    ],
)
def test_torn_and_foreign_files_are_skipped(jobs: JobStore, content: bytes | str) -> None:
    with jobs.run("ingest", title="T") as job:
        pass
    path = jobs.folder / "j-00000a.json"
    if isinstance(content, str):
        raw = jobs.get(job.id).as_record() | {"id": "j-00000a"}
        raw |= {"id": "j-00000b"} if content == "other id" else {content: "no"}
        content = json.dumps(raw).encode()
    path.write_bytes(content)
    (jobs.folder / "notes.json").write_text("{}")
    (jobs.folder / "j-zzzzzz.json").mkdir()
    assert [each.id for each in jobs.list()] == [job.id]
    with pytest.raises(JobNotFound, match="j-00000a"):
        jobs.get("j-00000a")


def test_the_beginning_of_an_id_is_enough(jobs: JobStore) -> None:
    with jobs.run("ingest", title="T") as job:
        pass
    made = jobs.get(job.id)
    for name in ("j-abc001", "j-abc002"):
        files.write(jobs.folder, replace(made, id=name), durable=False)
    assert jobs.get("abc001").id == "j-abc001"
    assert jobs.get(" J-ABC002 ").id == "j-abc002"
    with pytest.raises(UsageError, match="Several jobs"):
        jobs.get("j-abc")
    for unknown in ("", "j-", "j-ffffff0", "../j-abc001"):
        with pytest.raises(JobNotFound):
            jobs.get(unknown)


def test_the_history_is_bounded(jobs: JobStore) -> None:
    with jobs.run("ingest", title="T") as job:
        job.report("x", 0, 1)
        running = replace(job.job, id="j-f00000")
    files.write(jobs.folder, running, durable=False)
    files.write(jobs.folder, replace(jobs.get(job.id), id="j-e00000"), durable=False)
    now = time.time()
    os.utime(jobs.folder / "j-f00000.json", (now - 86_400, now - 86_400))
    month = now - files.KEPT_SECONDS - 60
    os.utime(jobs.folder / "j-e00000.json", (month, month))
    for n in range(300):
        files.write(jobs.folder, replace(jobs.get(job.id), id=f"j-{n:06x}"), durable=False)
    (jobs.folder / "j-0000aa.cancel").touch()
    os.utime(jobs.folder / "j-0000aa.cancel", (month, month))
    with jobs.run("ingest", title="newest") as newest:
        pass
    left = [path.stem for path in jobs.folder.glob("*.json")]
    assert files.KEPT_JOBS <= len(left) <= files.KEPT_JOBS + 2
    assert {"j-f00000", newest.id} <= set(left)
    assert "j-e00000" not in left
    assert not (jobs.folder / "j-0000aa.cancel").exists()


def test_a_deleted_collection_leaves_no_record(jobs: JobStore, info: CollectionInfo) -> None:
    with jobs.run("ingest", title="Ingest of /secret", collection=info):
        pass
    with jobs.run("ingest", title="Other") as other:
        pass
    assert jobs.forget(info.id) == 1
    assert [job.id for job in jobs.list()] == [other.id]


def test_where_nothing_can_be_written_the_work_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "jobs").write_text("in the way")
    jobs = JobStore(tmp_path)
    with caplog.at_level(logging.WARNING), jobs.run("ingest", title="T") as job:
        for done in range(3):
            job.report("x", done, 3)
            time.sleep(0.5)
        job.result({"files": 3})
    assert job.job.state == "done"
    assert jobs.list() == ()
    (note,) = caplog.records
    assert note.levelno >= logging.WARNING


def test_names_that_are_not_unicode(jobs: JobStore) -> None:
    with jobs.run("ingest", title="Ingest of /in/\udcff") as job:
        job.report("reading \udcfe.txt", 0, 1)
        job.result({"path": "\udcff"})
    ended = jobs.get(job.id)
    assert ended.title.endswith("\udcff")
    assert ended.result == {"path": "\udcff"}


CALL = {"edition": "collections", "tool": "ingest_folder", "arguments": {"folder_path": "/in"}}


@pytest.mark.parametrize(
    ("asked", "finished", "state", "code"),
    [
        (False, False, "interrupted", "client_left"),
        (True, False, "cancelled", None),
        (False, True, "done", None),
    ],
)
def test_work_that_is_left_is_no_cancelled_work(
    jobs: JobStore, asked: bool, finished: bool, state: str, code: str | None
) -> None:
    job = jobs.start("ingest", title="T", call=CALL)
    if asked:
        job.request_stop()
    jobs.interrupt_all()
    assert job.cancel.is_set()
    # A killed job has already recorded its reason.
    on_disk = files.read(files.record_path(jobs.folder, job.id))
    assert on_disk is not None
    assert (on_disk.error or {}).get("code") == (None if asked else "client_left")
    job.result({}, cancelled=not finished)
    ended = job.end()
    assert (ended.state, (ended.error or {}).get("code")) == (state, code)
    assert [left.id for left in jobs.resumable()] == ([job.id] if state == "interrupted" else [])


def test_what_begins_while_its_program_ends_is_left_at_once(jobs: JobStore) -> None:
    jobs.interrupt_all()
    late = jobs.start("ingest", title="T", call=CALL)
    assert late.cancel.is_set()
    assert (late.job.error or {})["code"] == "client_left"
    late.result({}, cancelled=True)
    assert late.end().state == "interrupted"


def test_one_program_goes_on_with_what_was_left(jobs: JobStore) -> None:
    first = jobs.start("ingest", title="T", call=CALL)
    without = jobs.start("ingest", title="With a password")
    jobs.interrupt_all()
    for job in (first, without):
        job.result({}, cancelled=True)
        job.end()
    (left,) = jobs.resumable()
    assert (left.error or {})["hint"] != (jobs.get(without.id).error or {})["hint"]
    assert jobs.resume(left) is None, "it was told to end, and would take away why"
    assert jobs.get(first.id).state == "interrupted"
    other, third = JobStore(jobs.folder.parent), JobStore(jobs.folder.parent)
    again = other.resume(left)
    assert again is not None
    assert third.resume(left) is None
    now = jobs.get(first.id)
    assert (now.state, now.error, now.call) == ("queued", None, CALL)
    assert now.created_at == left.created_at
    again.result({"files": 3})
    assert again.end().state == "done"
    assert jobs.resumable() == ()
    assert list(jobs.folder.glob("*.claim")) == []
