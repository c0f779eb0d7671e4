"""The pool of workers: its results, and the limits of a hostile file."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest

from casetrack.base import errors
from casetrack.base.config import ParseLimits
from casetrack.parse.workers import process
from casetrack.parse.workers.messages import MAX_CHARS, MAX_PAGES
from casetrack.parse.workers.pool import ParsePool
from casetrack.parse.workers.process import PoolClosed
from tests.parse.paging import numbers
from tests.parse.processes import wait_until, workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Pools = Callable[..., ParsePool]

HERE = Path(__file__).parent
HOSTILE = "hostile_readers:READERS"


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ParsePool]]:
    """Return a function that opens a pool of hostile readers; all are closed in the end."""
    monkeypatch.syspath_prepend(str(HERE))
    pools: list[ParsePool] = []

    def make(workers: int = 1, *, memory_mb: int = 512) -> ParsePool:
        pools.append(ParsePool(ParseLimits(60.0, memory_mb), workers, readers=HOSTILE))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def write(folder: Path, name: str, text: str = "1") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def texts(pool: ParsePool, path: Path) -> list[str]:
    return [t for batch in pool.read(path).batches for t in batch["text"].to_pylist()]


@contextmanager
def hurried(pool: ParsePool, folder: Path, seconds: float) -> Iterator[None]:
    """Give files so little time, but for the process that reads them to start."""
    usual = pool.options
    texts(pool, write(folder, "before.txt"))
    pool.options = replace(usual, limits=replace(usual.limits, timeout_seconds=seconds))
    yield
    pool.options = usual


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seconds", "error", "fact"),
    [
        ("a.spin", 0.3, errors.ParseLimit, "(timeout_seconds)"),
        ("a.eat", 60, errors.ParseLimit, "256 MB"),
        ("a.eat_slowly", 60, errors.ParseLimit, "256 MB"),
        ("a.crash", 60, errors.WorkerCrashed, "SIGSEGV"),
        ("a.exit", 60, errors.WorkerCrashed, "3"),
    ],
)
@pytest.mark.usefixtures("own_workers")
def test_a_limit_or_a_crash_stops_only_the_file(
    hostile: Pools,
    tmp_path: Path,
    name: str,
    seconds: float,
    error: type[errors.FileError],
    fact: str,
) -> None:
    pool = hostile(memory_mb=256)
    with hurried(pool, tmp_path, seconds), pytest.raises(error) as raised:
        pool.read(write(tmp_path, name))
    assert fact in raised.value.message
    assert name in raised.value.message
    assert seconds == 60 or str(seconds) in raised.value.message
    assert raised.value.hint
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]
    assert wait_until(lambda: len(workers()) == 1)


def test_what_a_parser_prints_reaches_nobody(
    hostile: Pools, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert texts(hostile(), write(tmp_path, "a.print", "2")) == ["good", "good"]
    assert capfd.readouterr() == ("", "")


def test_an_unforeseen_error_of_a_parser_is_a_parse_error(hostile: Pools, tmp_path: Path) -> None:
    pool = hostile()
    with pytest.raises(errors.ParseFailed, match=r"Hostile.*ValueError"):
        pool.read(write(tmp_path, "a.raise"))
    with pytest.raises(errors.ParseFailed, match="OverflowError"):
        list(pool.read(write(tmp_path, "a.late_blank", "3")).batches)
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "seconds", "fact"),
    [
        ("a.late", 60, "OverflowError"),
        ("a.late_sleep", 1.0, "timeout_seconds"),
        ("a.late_crash", 60, "SIGSEGV"),
        ("a.late_eat_slowly", 60, "256 MB"),
    ],
)
def test_what_was_read_before_a_file_went_wrong_stays(
    hostile: Pools, tmp_path: Path, name: str, seconds: float, fact: str
) -> None:
    pool = hostile(memory_mb=256)
    # More than one gathered batch, and a rest that fills none.
    path = write(tmp_path, name, str(MAX_PAGES + 3))
    with hurried(pool, tmp_path, seconds), pool.read(path) as parsed:
        pages = [n for batch in parsed.batches for n in batch["page"].to_pylist()]
    assert pages == list(range(1, MAX_PAGES + 4))
    assert parsed.pages == MAX_PAGES + 3
    (missing,) = parsed.missing
    assert str(MAX_PAGES + 3) in numbers(missing)
    assert fact in missing
    assert str(tmp_path) not in missing
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]


def test_what_a_reader_had_told_before_an_error_stays(
    hostile: Pools, tmp_path: Path, messages: Callable[..., None]
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    with hostile().read(write(tmp_path, "a.late", "1"), spool=spool) as parsed:
        assert [batch.num_rows for batch in parsed.batches] == [1]
    assert parsed.warnings == ["a warning"]
    (missing,) = parsed.missing
    messages(missing)
    assert [(a.name, a.path.read_text()) for a in parsed.attachments] == [
        ("inside.txt", "text inside")
    ]


def test_pages_over_the_limit_are_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "page 1\f\fpage 3\f4\f5")
    with ParsePool(ParseLimits(max_pages=3), 1) as pool:
        parsed = pool.read(path)
        actual = [t for batch in parsed.batches for t in batch["text"].to_pylist()]
    assert actual == ["page 1", "", "page 3"]
    assert (parsed.pages, parsed.pages_without_text) == (3, 1)
    (missing,) = parsed.missing
    assert [word for word in ("3", "5", "(max_pages)") if word not in missing] == []


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("missing.txt", errors.FileNotFound),
        ("a.unknown", errors.UnsupportedFormat),
        ("binary.txt", errors.FormatMismatch),
        ("a.locked", errors.FileEncrypted),
    ],
)
def test_errors_keep_their_class_and_facts(
    hostile: Pools, tmp_path: Path, name: str, error: type[errors.FileError]
) -> None:
    path = tmp_path / name
    if name != "missing.txt":
        path.write_bytes(b"\x00\x01\x02" * 50 if name == "binary.txt" else b"1")
    with pytest.raises(error) as raised:
        hostile().read(path)
    assert type(raised.value) is error
    assert str(path) in raised.value.message
    assert raised.value.hint


@pytest.mark.slow
@pytest.mark.usefixtures("own_workers")
def test_thirty_files_in_parallel_threads(hostile: Pools, tmp_path: Path) -> None:
    pool = hostile(2)
    paths = [write(tmp_path, f"{i}.txt", f"file {i}") for i in range(28)]
    paths += [write(tmp_path, "x.exit"), write(tmp_path, "y.raise")]
    failures = []

    def read(path: Path) -> list[str]:
        try:
            return texts(pool, path)
        except errors.FileError as error:
            failures.append(type(error))
            return []

    with ThreadPoolExecutor(30) as threads:
        result = list(threads.map(read, paths))
    assert result[:28] == [[f"file {i}"] for i in range(28)]
    assert set(failures) == {errors.WorkerCrashed, errors.ParseFailed}
    assert len(workers()) <= 2


@pytest.mark.slow
@pytest.mark.usefixtures("own_workers")
def test_batches_are_bounded_and_a_slow_reader_holds_the_worker_back(
    hostile: Pools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late[0])
    monkeypatch.setattr(process, "time", clock)
    parsed = hostile().read(write(tmp_path, "a.many", "200"))
    first = next(parsed.batches)
    assert first.num_rows <= MAX_PAGES
    assert sum(map(len, first["text"].to_pylist())) <= MAX_CHARS + 100_000
    (worker,) = workers()
    late[0] += 1000.0  # The time that the consumer takes does not count against the limit.
    time.sleep(0.3)
    before = worker.memory_info().rss
    time.sleep(0.2)
    assert worker.memory_info().rss <= before + (4 << 20)
    assert 1 + sum(1 for _ in parsed.batches) == 20
    assert parsed.pages == 200


@pytest.mark.slow
def test_a_read_that_is_given_up_frees_its_worker(hostile: Pools, tmp_path: Path) -> None:
    pool = hostile()
    parsed = pool.read(write(tmp_path, "a.many", "100"))
    next(parsed.batches)
    del parsed
    assert texts(pool, write(tmp_path, "d.txt", "after")) == ["after"]


@pytest.mark.slow
@pytest.mark.usefixtures("own_workers")
def test_closing_ends_all_workers_at_once(hostile: Pools, tmp_path: Path) -> None:
    pool = hostile(2)
    raised: list[BaseException] = []

    def read() -> None:
        try:
            pool.read(write(tmp_path, "a.sleep"))
        except PoolClosed as error:
            raised.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    assert texts(pool, write(tmp_path, "b.txt", "text")) == ["text"]
    assert wait_until(lambda: len(workers()) == 2)
    pool.close()
    thread.join(60)
    assert not workers()
    assert len(raised) == 1
    with pytest.raises(PoolClosed):
        pool.read(tmp_path / "b.txt")


@pytest.mark.skipif(sys.platform != "linux", reason="ends with the parent in C code on Linux only")
def test_a_killed_parent_leaves_no_process(tmp_path: Path) -> None:
    path = write(tmp_path, "a.spin")
    script = textwrap.dedent(
        f"""
        import sys
        sys.path[:0] = {[str(HERE), str(HERE.parents[1])]!r}
        from pathlib import Path
        from casetrack.base.config import ParseLimits
        from casetrack.parse.workers.pool import ParsePool
        ParsePool(ParseLimits(), 1, readers="{HOSTILE}").read(Path({str(path)!r}))
        """
    )
    with subprocess.Popen([sys.executable, "-c", script]) as parent:
        assert wait_until(path.with_suffix(".begun").exists)
        (child,) = psutil.Process(parent.pid).children()
        parent.kill()
    assert wait_until(lambda: not child.is_running())


def test_a_worker_that_cannot_start_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "text")
    pool = ParsePool(ParseLimits(), 1, readers="no_such_module:READERS")
    with pool, pytest.raises(errors.CaseTrackError) as raised:
        pool.read(path)
    assert "python -m casetrack.parse.workers.worker" in raised.value.hint
    with pytest.raises(ValueError, match="0"):
        ParsePool(ParseLimits(), 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for Python is a shell script")
@pytest.mark.parametrize("deaths", [2, 3])
@pytest.mark.usefixtures("own_workers")
def test_a_worker_that_dies_before_it_is_ready_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    """As where the system ends a process for want of memory just when it has begun."""
    counted = tmp_path / "starts"
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho x >> "{counted}"\n'
        f'[ "$(wc -l < "{counted}")" -le {deaths} ] && kill -KILL $$\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    path = write(tmp_path, "a.txt", "text")
    monkeypatch.setattr(sys, "executable", str(python))
    with ParsePool(ParseLimits(), 1) as pool:
        if deaths < 3:
            assert [b["text"].to_pylist() for b in pool.read(path).batches] == [["text"]]
            return
        with pytest.raises(errors.CaseTrackError, match=r"3 .*SIGKILL") as raised:
            pool.read(path)
    assert raised.value.hint
