"""Kills at any instant: acknowledged data is present, and no half-written data is visible.

Most kills happen at a chosen call that changes a file, so that every gap between two calls is hit
at some time, including those within Lance; the others happen at a random moment.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from casetrack.store.datasets import open_snapshot
from casetrack.store.session import leftovers, write_session
from tests.crash.faults import KILL
from tests.crash.operations import OPERATIONS
from tests.crash.world import Seen, garbage, look

if TYPE_CHECKING:
    import random

    from tests.crash.bench import Bench

AT_RANDOM = 0.15
_STARTED = 0.6
"""Seconds of processor time after which a process that reads files has loaded its modules."""
DAY = 86_400.0
_NAMES = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"), "ID"),
    (re.compile(r"[0-9a-zA-Z_-]{16,}"), "ID"),
    (re.compile(r"\d{5,}"), "N"),
    (re.compile(r"\.\d+\."), ".PID."),
    (re.compile(r"\.tmp[A-Za-z0-9]+"), ".tmp"),
)


def one_kill(
    bench: Bench, operation: str, source: random.Random, call: int | None = None
) -> tuple[str, int]:
    """Kill the operation at a moment or call, check everything, and run it again.

    Returns
    -------
    tuple
        Position of the kill, and number of acknowledged steps.
    """
    course, data_dir = bench.course(operation), bench.copy(operation)
    by_call = bench.faults.counts and (call is not None or source.random() >= AT_RANDOM)
    if by_call:
        bench.faults.arm(data_dir, KILL, call or source.randint(1, course.calls))
    else:
        bench.faults.arm(data_dir)
    child = bench.zygote.start(operation, data_dir, bench.files(operation))
    if not by_call:
        time.sleep(source.uniform(0.0, course.seconds))
        child.kill()
    status = child.wait()
    bench.faults.disarm()
    assert status in {0, -9}, child.error.get("trace")
    where = "it was done before"
    if status:
        where = plain(bench.faults.last) if by_call else "at random"

    check(data_dir, course.states, len(child.acknowledged))
    if OPERATIONS[operation].is_one_commit:
        shown = {name: seen.documents for name, seen in look(data_dir).items()}
        assert shown in [{n: s.documents for n, s in state.items()} for state in course.states]
    torn = cut_off(data_dir)
    grow_old(data_dir)
    again = bench.zygote.start(operation, data_dir, bench.files(operation))
    assert again.wait() == 0, again.error["trace"]
    assert leave_nothing(data_dir) == [], where
    assert look(data_dir) == course.states[-1], where
    if torn & {folder.name for folder in collections(data_dir)}:
        assert any("stopped program" in line for line in again.repairs), (where, again.repairs)
    return where, len(child.acknowledged)


def one_reader_killed(bench: Bench, source: random.Random, /) -> str:
    """Kill a process that reads files within its first second during an ingest; return its
    activity.

    A file that was being read may be reported with the reason; nothing else of it may be visible,
    and the next run adds it.
    """
    operation = "ingest what failed again"
    course, data_dir = bench.course(operation), bench.copy(operation)
    bench.faults.arm(data_dir)
    child = bench.zygote.start(operation, data_dir, bench.files(operation))
    where = "it was done before"
    reader = _reader_of(child.pid)
    if reader is not None:
        time.sleep(source.uniform(0.0, 1.0))
        try:
            where = "ready" if reader.cpu_times().user > _STARTED else "starting"
            reader.kill()
        except psutil.NoSuchProcess:
            where = "it had ended"
    assert child.wait() == 0, child.error.get("trace")
    bench.faults.disarm()
    assert leave_nothing(data_dir) == [], where
    assert look(data_dir) == course.states[-1], where
    return f"a reader: {where}"


def _reader_of(pid: int) -> psutil.Process | None:
    """Return the first process of readers that a program starts; ``None`` where it ends before."""
    try:
        program = psutil.Process(pid)
        while program.status() != psutil.STATUS_ZOMBIE:
            for process in program.children():
                if any("workers.worker" in word for word in process.cmdline()):
                    return process
            time.sleep(0.001)
    except psutil.NoSuchProcess:
        return None
    return None


def check(data_dir: Path, states: list[dict[str, Seen]], acknowledged: int) -> None:
    """Check that the visible state is that after the last acknowledged step or the next one."""
    last = states[acknowledged]
    following = states[min(acknowledged + 1, len(states) - 1)]
    result = look(data_dir)
    assert min(len(last), len(following)) <= len(result) <= max(len(last), len(following))
    for name in {*result, *last, *following}:
        local, before, after = result.get(name), last.get(name), following.get(name)
        if local is None:
            assert None in {before and name, after and name}, f"{name} is lost"
            continue
        allowed = [seen for seen in (before, after) if seen is not None]
        assert local.facts in [seen.facts for seen in allowed], name
        for path in {*local.documents, *(p for seen in allowed for p in seen.documents)}:
            known = [seen.documents.get(path) for seen in allowed]
            assert local.documents.get(path) in known, f"{path} is neither as before nor as after"
        # A moved object is at one of the two places.
        for facts in set(allowed[0].documents.values()) & set(allowed[-1].documents.values()):
            assert facts in local.documents.values(), "a document is at neither place"


def collections(data_dir: Path) -> list[Path]:
    home = data_dir / "collections"
    return (
        [p for p in home.iterdir() if not p.name.startswith(".") and p.is_dir()]
        if home.exists()
        else []
    )


def cut_off(data_dir: Path) -> set[str]:
    """Return the folders of collections that hold passages which no document names."""
    values = set()
    for folder in collections(data_dir):
        snapshot = open_snapshot(folder)
        live = sum(d.chunk_count for d in snapshot.documents.values())
        if snapshot.chunks.count_rows() > live:
            assert leftovers(folder), "nothing says that there is something to remove"
            values.add(folder.name)
    return values


def leave_nothing(data_dir: Path) -> list[str]:
    """Write once more, and return the remaining leftovers."""
    for folder in collections(data_dir):
        with write_session(folder, upkeep=True):
            pass
    return garbage(data_dir)


def left_unfinished(data_dir: Path) -> list[str]:
    """Return files and folders that were never finished."""
    return [p.name for p in data_dir.rglob(".*") if p.name.endswith(".tmp")]


def grow_old(data_dir: Path) -> None:
    """Set all times back by a day, so that no file looks like work in progress."""
    then = time.time() - DAY
    for base, folders, files in os.walk(data_dir):
        for name in (*folders, *files):
            os.utime(Path(base, name), (then, then))


def plain(call: str) -> str:
    """Return a call without the ids, numbers and keys in its path."""
    for pattern, word in _NAMES:
        call = pattern.sub(word, call)
    return call.replace("collections/", "")
