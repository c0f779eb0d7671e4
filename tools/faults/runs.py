"""Runs cases in separate processes, many in each, so that a crash ends one case only."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import select
import signal
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from faults.judge import Truth, Verdict, truth_of, try_case, victims
from faults.world import make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from faults.plant import Case

MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
"""Folder of the copies in memory: thousands of them need no disk."""
_TOGETHER = 40
"""Cases per process: the effects of a library's panic must not accumulate."""
_SECONDS = 90.0
_forking = threading.Lock()
_PRELOADED = (
    *("lance.fragment", "pyarrow", "numpy", "duckdb", "casetrack.ingest.batch"),
    *("casetrack.store.index.index", "casetrack.keep.health.doctor", "casetrack.search.query.run"),
)


def preload() -> None:
    """Import the modules that are slow to import and start no thread, before a fork."""
    for name in _PRELOADED:
        importlib.import_module(name)
    warnings.filterwarnings("ignore", message="lance is not fork-safe")


def prepare(home: Path, /) -> tuple[dict[str, list[str]], Truth]:
    """Make the undamaged data folder in a separate process; return its files and answers."""

    def work(tell: Callable[[str], None]) -> None:
        make(home / "data", home / "files")
        (home / "data").rename(home / "whole")
        # Paths are stored, so the answers are taken at the path of the later copies.
        (home / "data").symlink_to(home / "whole")
        truth = truth_of(home / "data")
        facts = {n: getattr(truth, n) for n in ("answers", "bystander", "states")}
        tell(json.dumps({"truth": facts, "files": victims(home / "data")}))
        (home / "data").unlink()

    data = json.loads("".join(_forked(work, 600.0)))
    return data["files"], Truth(**data["truth"])


def run(
    cases: Sequence[Case], seed: int, home: Path, truth: Truth, /
) -> Iterator[tuple[Case, Verdict]]:
    """Try cases one after the other."""
    left = list(cases)
    while left:
        batch = left[:_TOGETHER]

        def work(tell: Callable[[str], None], batch: Sequence[Case] = batch) -> None:
            for case in batch:
                verdict = try_case(case, seed, home / "whole", home / "data", truth)
                tell(json.dumps([verdict.fault, verdict.failures, verdict.end]))

        done = 0
        try:
            for line in _forked(work, _SECONDS):
                fault, failures, end = json.loads(line)
                yield batch[done], Verdict(fault, [(a, b) for a, b in failures], end)
                done += 1
        except _Ended as end:
            dead = Verdict(end="died")
            dead.fail(
                "the program dies" if end.args[0] != "hung" else "the program hangs", str(end)
            )
            yield batch[done], dead
            done += 1
        left = left[done:]


def run_shares(
    draw: Callable[[Mapping[str, Sequence[str]]], list[Case]], seed: int, home: Path, count: int, /
) -> Iterator[tuple[Case, Verdict]]:
    """Try cases in *count* processes at once, each with its own data folder below *home*.

    *draw* returns all cases, given the files that faults may hit; *seed* determines all random
    choices.
    """
    done: queue.Queue[tuple[Case, Verdict] | BaseException | None] = queue.Queue()

    def work(number: int) -> None:
        try:
            place = home / str(number)
            place.mkdir()
            files, truth = prepare(place)
            for pair in run(draw(files)[number::count], seed, place, truth):
                done.put(pair)
            done.put(None)
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            done.put(error)

    for number in range(count):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    running = count
    while running:
        verdicts = done.get()
        if isinstance(verdicts, BaseException):
            raise verdicts
        if verdicts is None:
            running -= 1
        else:
            yield verdicts


class _Ended(Exception):
    """A process ended before its work was done."""


def _forked(work: Callable[[Callable[[str], None]], None], seconds: float) -> Iterator[str]:
    """Yield the lines that *work* prints in a separate process, each within *seconds*."""
    with _forking:  # no other child may inherit the end that is written to, and keep it open
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            _child(work, reading, writing)
        os.close(writing)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpgid(pid, pid)
    buffer, end = b"", time.monotonic() + seconds
    hung = False
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            hung = True
            break
        data = os.read(reading, 1 << 20)
        if not data:
            break
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            end = time.monotonic() + seconds
            yield line.decode()
    os.close(reading)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL if hung else 0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if hung:
        raise _Ended("hung")
    if status:
        raise _Ended(f"exit status {status}")


def _child(work: Callable[[Callable[[str], None]], None], reading: int, writing: int) -> None:
    os.setpgid(0, 0)
    os.close(reading)
    # Panics of libraries are written to standard error, which would flood the terminal.
    if not os.environ.get("FAULTS_LOUD"):
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
    status = 99
    try:
        work(lambda line: _send(writing, line))
        status = 0
    finally:
        os._exit(status)


def _send(writing: int, line: str) -> None:
    data = line.encode() + b"\n"
    while data:
        data = data[os.write(writing, data) :]
