"""Jobs of real processes on one data folder: queueing, being stopped, being killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.jobs import JobStore
from casetrack.faces.cli.main import main
from casetrack.store.lock import write_lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

ROOT = Path(__file__).parents[3]
HOLD = """
import sys, time
from pathlib import Path
from casetrack.base.jobs import JobStore
with JobStore(Path(sys.argv[1])).run("ingest", title="Ingest of /in") as job:
    job.report("reading a.txt", 1, 3)
    while not job.cancel.wait(0.05):
        job.report("reading a.txt", 1, 3)
    job.result({"files": 1}, cancelled=True)
"""


def until(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def start(*arguments: object, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})},
        cwd=ROOT,
        encoding="utf-8",
    )


@pytest.fixture
def holder(tmp_path: Path) -> Any:
    """A process that does a job until it is asked to end, and the jobs that it writes."""
    process = start("-c", HOLD, tmp_path)
    jobs = JobStore(tmp_path)
    until(lambda: [job.state for job in jobs.list()] == ["running"])
    yield process, jobs
    process.kill()
    process.communicate()


def test_a_killed_process_leaves_an_interrupted_job(holder: Any) -> None:
    process, jobs = holder
    process.kill()
    process.communicate()
    (job,) = jobs.list()
    assert (job.state, job.done, job.error["code"]) == ("interrupted", 1, "interrupted")
    assert json.loads((jobs.folder / f"{job.id}.json").read_text())["state"] == "interrupted"


@pytest.fixture
def run(
    library: Library, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Any:
    """Run a command on the library in this process: its exit code, output and errors."""
    monkeypatch.setenv("CASETRACK_HOME", str(library.settings.data_dir))

    def run_here(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        sys.stdout.flush()
        return (code, *capfd.readouterr())

    return run_here


def test_the_commands(library: Library, run: Any, tmp_path: Path) -> None:
    assert run("jobs", "list")[::2] == (0, "")
    (tmp_path / "a.txt").write_text("A letter about the delivery of goods.")
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 torn")
    run("ingest", tmp_path / "a.txt", tmp_path / "b.zip", "--create", "-c", "Acme")
    (job,) = library.jobs.list()
    assert job.title == f"Ingest of {tmp_path / 'a.txt'} and 1 more"
    code, out, _ = run("jobs", "list", "-c", "Acme")
    assert code == 0
    assert job.id in out
    assert "done" in out
    code, out, _ = run("jobs", "show", job.id)
    assert code == 0
    assert "1 ingested" in out
    assert "2 files, 1 page, 1 chunk in" in out
    code, out, _ = run("jobs", "show", job.id, "--json", "--follow")
    assert json.loads(out)["result"]["counts"]["ingested"] == 1
    assert job.id in run("jobs", "cancel", job.id)[1]
    code, _, err = run("jobs", "show", "j-nothere")
    assert code == 2
    assert "j-nothere" in err
    assert "casetrack jobs list" in err
    code, out, _ = run("jobs", "list", "--json")
    assert [each["state"] for each in json.loads(out)] == ["done"]


def test_following_and_stopping_a_job_of_another_program(
    library: Library, run: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = JobStore(library.settings.data_dir)
    ended = threading.Event()

    def work() -> None:
        with jobs.run("ingest", title="Ingest of /in") as job:
            job.report("reading a.txt", 1, 3)
            job.cancel.wait(20)
            job.result({"files": 1}, cancelled=True)
        ended.set()

    threading.Thread(target=work).start()
    until(lambda: [job.state for job in jobs.list()] == ["running"])
    (job,) = jobs.list()
    _, out, _ = run("jobs", "list")
    assert "1 of 3 (reading a.txt)" in out
    code, out, _ = run("jobs", "cancel", job.id)
    assert code == 0
    assert job.id in out
    code, out, _ = run("jobs", "show", job.id, "--follow")
    assert ended.wait(60)
    assert code == 0
    assert "cancelled" in out


def test_the_command_says_who_stopped_it(library: Library, run: Any, tmp_path: Path) -> None:
    collection = library.create("Acme")
    (tmp_path / "a.txt").write_text("A letter about the delivery of goods.")

    locked = threading.Event()

    def stop() -> None:
        with write_lock(collection.folder):
            locked.set()
            until(library.jobs.list)
            library.jobs.request_cancel(library.jobs.list()[0].id)
            until(lambda: not library.jobs.list()[0].active)

    other = threading.Thread(target=stop)
    other.start()
    assert locked.wait(60)
    code, _, err = run("ingest", tmp_path / "a.txt")
    other.join()
    assert code == 130, err
    assert " 0 " in err
