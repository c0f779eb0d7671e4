"""The write lock between processes: one holder at a time, and none that is dead."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import CollectionBusy, CollectionGone, JobStopped, StorageError
from casetrack.store.lock import file_lock, try_lock, write_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import filelock

CHECKOUT = Path(__file__).parents[2]
HOLDER = """
import os, subprocess, sys, time
from pathlib import Path
from casetrack.store.lock import write_lock
with write_lock(Path(sys.argv[1]), timeout=60):
    if sys.argv[2] == "with a child":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], close_fds=False)
    print("held", flush=True)
    sys.stdin.readline()
"""
COUNTER = """
import os, sys, time
from pathlib import Path
from casetrack.store.lock import write_lock
folder = Path(sys.argv[1])
for turn in range(int(sys.argv[2])):
    with write_lock(folder, timeout=60):
        # Two at once would make the same file, or read the same number.
        os.close(os.open(folder / "inside", os.O_CREAT | os.O_EXCL))
        number = int((folder / "number").read_text())
        time.sleep(0.002)
        (folder / "number").write_text(str(number + 1))
        os.unlink(folder / "inside")
"""


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a process that keeps the lock until it is stopped or killed."""
    started = []

    def start(how: str = "alone") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path), how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=CHECKOUT,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        if os.name != "nt":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait(30)
        process.stdin.close()
        process.stdout.close()


@pytest.mark.parametrize("how", ["alone", "with a child"])
def test_killed_holder_holds_nothing(tmp_path: Path, hold: Callable, how: str) -> None:
    holder = hold(how)
    with pytest.raises(CollectionBusy), write_lock(tmp_path, timeout=0.1):
        pass
    holder.kill()  # but not its child processes
    holder.wait(30)
    with write_lock(tmp_path, timeout=0.0):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows does not delete a file that is open")
def test_who_comes_back_at_once_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "number").write_text("0")
    greedy = subprocess.Popen([sys.executable, "-c", COUNTER, str(tmp_path), "100000"])
    try:
        until = time.monotonic() + 30
        while (tmp_path / "number").read_text() in {"", "0"}:
            assert time.monotonic() < until
            time.sleep(0.01)
        for _ in range(5):
            with write_lock(tmp_path, timeout=20):
                assert not (tmp_path / "inside").exists()
    finally:
        greedy.kill()
        greedy.wait()


def test_deleted_lock_file_lets_nobody_in(tmp_path: Path, hold: Callable) -> None:
    holder = hold()
    (tmp_path / ".write.lock").unlink()
    with pytest.raises(CollectionBusy), write_lock(tmp_path, timeout=0.2):
        pass
    assert holder.poll() is None
    stop = threading.Event()
    stop.set()
    with pytest.raises(JobStopped), write_lock(tmp_path, cancel=stop):
        pass
    holder.kill()
    holder.wait(30)
    with write_lock(tmp_path, timeout=0.0):
        pass


def test_only_one_at_a_time_though_lock_files_vanish(tmp_path: Path) -> None:
    turns, processes = 40, 3
    (tmp_path / "number").write_text("0")
    command = [sys.executable, "-c", COUNTER, str(tmp_path), str(turns)]
    running = [subprocess.Popen(command, cwd=CHECKOUT) for _ in range(processes)]
    while any(process.poll() is None for process in running):
        if os.name != "nt":
            (tmp_path / ".write.lock").unlink(missing_ok=True)
        time.sleep(0.003)
    assert [process.returncode for process in running] == [0] * processes
    assert (tmp_path / "number").read_text() == str(turns * processes)


def test_folder_that_goes_while_one_waits(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    folder.mkdir()
    collected = []

    def wait() -> None:
        try:
            with write_lock(folder, timeout=30):
                collected.append("held")
        except CollectionGone:
            collected.append("gone")

    with write_lock(folder):
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.15)
        folder.rename(tmp_path / ".deleted")
    waiting.join(30)
    assert collected == ["gone"]
    assert not folder.exists()


def test_system_locks_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that only represents a lock would outlive its process."""
    lock = file_lock(tmp_path / "lock")
    assert not lock.fallback_to_soft
    assert not lock.is_thread_local()
    monkeypatch.setattr(type(lock), "_acquire", _no_locks)
    with pytest.raises(StorageError) as caught, write_lock(tmp_path):
        pass
    assert "--data-dir" in caught.value.hint
    with try_lock(tmp_path / "other") as held:
        assert not held


def _no_locks(_lock: filelock.BaseFileLock) -> None:
    raise OSError(38, "Function not implemented")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no locks on folders")
def test_drive_that_locks_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    real = fcntl.flock

    def flock(fd: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(9, "Bad file descriptor")
        real(fd, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with write_lock(tmp_path), pytest.raises(CollectionBusy), write_lock(tmp_path, timeout=0.1):
        pass
