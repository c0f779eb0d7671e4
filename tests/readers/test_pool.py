"""The pool of workers: what comes back, and what a hostile file can and cannot do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from casetrack import errors
from casetrack.config import ParseLimits
from casetrack.readers.workers.batches import MAX_CHARS, MAX_PAGES, page_schema
from casetrack.readers.workers.pool import ParsePool
from casetrack.readers.workers.process import PoolClosed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
HOSTILE = "hostile_readers:READERS"

pytestmark = pytest.mark.usefixtures("own_workers")


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ParsePool]]:
    """Return a function that opens a pool of hostile readers; all are closed in the end."""
    monkeypatch.syspath_prepend(str(HERE))
    pools: list[ParsePool] = []

    def make(workers: int = 1, *, timeout: float = 20.0, memory_mb: int = 512) -> ParsePool:
        pools.append(ParsePool(ParseLimits(timeout, memory_mb), workers, readers=HOSTILE))
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


def workers_alive() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [c for c in children if "casetrack.readers.workers.worker" in " ".join(c.cmdline())]


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def test_gives_pages_as_batches_of_the_declared_table(tmp_path: Path) -> None:
    path = write(tmp_path, "notes.md", "# One\n\nbody\n\n## Two\n\nmore\n")
    with ParsePool(ParseLimits(), 1) as pool:
        parsed = pool.read(path)
        assert (parsed.info.format, parsed.info.page_count) == ("markdown", 1)
        batches = list(parsed.batches)
    assert [batch.schema for batch in batches] == [page_schema()]
    row = batches[0].to_pylist()[0]
    assert row["text"] == "# One\n\nbody\n\n## Two\n\nmore"
    assert [p["kind"] for p in row["paragraphs"]] == ["heading", "body", "heading", "body"]
    assert [(x["number"], x["row"], x["x0"]) for x in row["lines"]] == [
        (1, None, None),
        (3, None, None),
        (5, None, None),
        (7, None, None),
    ]
    assert (parsed.pages, parsed.pages_without_text, parsed.warnings) == (1, 0, [])


def test_a_file_with_form_feeds_carries_its_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "one\f\fthree")
    with ParsePool(ParseLimits(), 1) as pool:
        parsed = pool.read(path)
        rows = [row for batch in parsed.batches for row in batch.to_pylist()]
    assert [(r["page"], r["extraction_method"]) for r in rows] == [
        (1, "Native"),
        (2, "Skipped"),
        (3, "Native"),
    ]
    assert (parsed.pages, parsed.pages_without_text) == (3, 1)


def test_one_worker_reads_file_after_file(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    pool = hostile()
    assert texts(pool, write(tmp_path, "a.txt", "alpha")) == ["alpha"]
    first = workers_alive()
    assert texts(pool, write(tmp_path, "b.txt", "beta")) == ["beta"]
    assert workers_alive() == first
    assert len(first) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.sleep", "longer than 4 seconds"),
        ("a.spin", "longer than 4 seconds"),
        ("a.eat", "memory"),
        ("a.eat_slowly", "more than 256 MB of memory"),
    ],
)
def test_a_limit_stops_only_the_file(
    hostile: Callable[..., ParsePool], tmp_path: Path, name: str, words: str
) -> None:
    pool = hostile(timeout=4.0 if "longer" in words else 60.0, memory_mb=256)
    start = time.monotonic()
    with pytest.raises(errors.ParseLimit, match=words) as raised:
        pool.read(write(tmp_path, name))
    assert time.monotonic() - start < 50
    assert name in raised.value.message
    assert "[parse] timeout_seconds, memory_mb" in raised.value.hint
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]
    assert wait_until(lambda: len(workers_alive()) == 1)


@pytest.mark.parametrize(("name", "words"), [("a.crash", "SIGSEGV"), ("a.exit", "exit code 3")])
def test_a_crash_stops_only_the_file(
    hostile: Callable[..., ParsePool], tmp_path: Path, name: str, words: str
) -> None:
    pool = hostile()
    with pytest.raises(errors.WorkerCrashed, match=words):
        pool.read(write(tmp_path, name))
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]


def test_what_a_parser_prints_reaches_nobody(
    hostile: Callable[..., ParsePool], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert texts(hostile(), write(tmp_path, "a.print", "2")) == ["good", "good"]
    assert capfd.readouterr() == ("", "")


def test_an_unforeseen_error_of_a_parser_is_a_parse_error(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    pool = hostile()
    with pytest.raises(errors.ParseFailed, match=r"Hostile parse error.*ValueError"):
        pool.read(write(tmp_path, "a.raise"))
    with pytest.raises(errors.ParseFailed, match="the second half is missing"):
        list(pool.read(write(tmp_path, "a.late_blank", "3")).batches)
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.late", "the second half is missing"),
        ("a.late_sleep", "it took longer than 4 seconds (timeout_seconds)"),
        ("a.late_crash", "SIGSEGV"),
        ("a.late_eat", "it needed more than 256 MB of memory (memory_mb)"),
        ("a.late_eat_slowly", "it needed more than 256 MB of memory (memory_mb)"),
    ],
)
def test_what_was_read_before_a_file_went_wrong_stays(
    hostile: Callable[..., ParsePool], tmp_path: Path, name: str, words: str
) -> None:
    pool = hostile(timeout=4.0 if "sleep" in name else 60.0, memory_mb=256)
    # More than one gathered batch, and a rest that fills none.
    path = write(tmp_path, name, str(MAX_PAGES + 3))
    with pool.read(path) as parsed:
        pages = [n for batch in parsed.batches for n in batch["page"].to_pylist()]
    assert pages == list(range(1, MAX_PAGES + 4))
    assert parsed.pages == MAX_PAGES + 3
    (missing,) = parsed.missing
    assert missing.startswith(f"Only the first {MAX_PAGES + 3} pages could be read. ")
    assert words in missing
    assert str(tmp_path) not in missing
    assert texts(pool, write(tmp_path, "after.txt", "still works")) == ["still works"]


def test_what_a_reader_had_told_before_an_error_stays(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    with hostile().read(write(tmp_path, "a.late", "1"), spool=spool) as parsed:
        assert [batch.num_rows for batch in parsed.batches] == [1]
    assert parsed.warnings == ["a warning"]
    assert parsed.missing[0].startswith("Only the first page could be read. ")
    assert [(a.name, a.path.read_text()) for a in parsed.attachments] == [
        ("inside.txt", "text inside")
    ]


def test_pages_over_the_limit_are_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "\f".join(f"page {n}" for n in range(1, 6)))
    with ParsePool(ParseLimits(max_pages=2), 1) as pool:
        parsed = pool.read(path)
        found = [t for batch in parsed.batches for t in batch["text"].to_pylist()]
    assert found == ["page 1", "page 2"]
    assert parsed.missing == ["Only the first 2 of 5 pages were read (max_pages)."]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("missing.txt", errors.FileNotFound),
        ("folder.txt", errors.WrongPathKind),
        ("empty.txt", errors.EmptyFile),
        ("a.unknown", errors.UnsupportedFormat),
        ("binary.txt", errors.FormatMismatch),
        ("a.locked", errors.FileEncrypted),
    ],
)
def test_errors_keep_their_class_and_text(
    hostile: Callable[..., ParsePool], tmp_path: Path, name: str, error: type[errors.FileError]
) -> None:
    path = tmp_path / name
    if name == "folder.txt":
        path.mkdir()
    elif name == "binary.txt":
        path.write_bytes(b"\x00\x01\x02" * 50)
    elif name != "missing.txt":
        path.write_bytes(b"" if name == "empty.txt" else b"1")
    with pytest.raises(error) as raised:
        hostile().read(path)
    assert type(raised.value) is error
    assert str(path) in str(raised.value)
    assert raised.value.hint in str(raised.value)
    assert raised.value.code == error.code


def test_thirty_files_in_parallel_threads(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    pool = hostile(3)
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
        found = list(threads.map(read, paths))
    assert found[:28] == [[f"file {i}"] for i in range(28)]
    assert set(failures) == {errors.WorkerCrashed, errors.ParseFailed}
    assert len(workers_alive()) <= 3


def test_batches_are_bounded_and_a_slow_reader_holds_the_worker_back(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    pool = hostile(timeout=2.0)
    parsed = pool.read(write(tmp_path, "a.many", "400"))
    first = next(parsed.batches)
    assert first.num_rows <= MAX_PAGES
    assert sum(map(len, first["text"].to_pylist())) <= MAX_CHARS + 100_000
    (worker,) = workers_alive()
    time.sleep(2.5)  # Longer than the limit: the time that the consumer takes does not count.
    before = worker.memory_info().rss
    time.sleep(0.3)
    assert worker.memory_info().rss <= before + (4 << 20)
    assert 1 + sum(1 for _ in parsed.batches) == 40
    assert parsed.pages == 400


def test_a_read_that_is_given_up_frees_its_worker(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    pool = hostile()
    with pool.read(write(tmp_path, "a.many", "100")) as parsed:
        next(parsed.batches)
    assert texts(pool, write(tmp_path, "b.txt", "next")) == ["next"]
    pool.read(write(tmp_path, "c.many", "100"))  # Forgotten at once.
    assert texts(pool, write(tmp_path, "d.txt", "after")) == ["after"]


def test_closing_ends_all_workers_at_once(
    hostile: Callable[..., ParsePool], tmp_path: Path
) -> None:
    pool = hostile(2, timeout=60.0)
    raised: list[BaseException] = []

    def read() -> None:
        try:
            pool.read(write(tmp_path, "a.sleep"))
        except PoolClosed as error:
            raised.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    assert texts(pool, write(tmp_path, "b.txt", "text")) == ["text"]
    assert wait_until(lambda: len(workers_alive()) == 2)
    start = time.monotonic()
    pool.close()
    thread.join(60)
    assert time.monotonic() - start < 30
    assert not workers_alive()
    assert len(raised) == 1
    with pytest.raises(PoolClosed):
        pool.read(tmp_path / "b.txt")


@pytest.mark.skipif(sys.platform != "linux", reason="ends with the parent in C code on Linux only")
@pytest.mark.parametrize("name", ["a.sleep", "a.spin"])
def test_a_killed_parent_leaves_no_process(tmp_path: Path, name: str) -> None:
    script = textwrap.dedent(
        f"""
        import sys, threading, time
        sys.path[:0] = {[str(HERE), str(HERE.parents[1])]!r}
        from pathlib import Path
        import psutil
        from casetrack.config import ParseLimits
        from casetrack.readers.workers.pool import ParsePool
        pool = ParsePool(ParseLimits(), 1, readers="{HOSTILE}")
        threading.Thread(target=pool.read, args=(Path({str(write(tmp_path, name))!r}),)).start()
        while not psutil.Process().children():
            time.sleep(0.05)
        time.sleep(2)
        print(psutil.Process().children()[0].pid, flush=True)
        time.sleep(60)
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout as stream:
        child = int(stream.readline())
        assert psutil.pid_exists(child)
        os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert wait_until(lambda: not psutil.pid_exists(child), 5.0)


def test_a_worker_that_cannot_start_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "text")
    pool = ParsePool(ParseLimits(), 1, readers="no_such_module:READERS")
    with pool, pytest.raises(errors.CaseTrackError, match="did not start"):
        pool.read(path)
    with pytest.raises(ValueError, match="at least one worker"):
        ParsePool(ParseLimits(), 0)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for Python is a shell script")
@pytest.mark.parametrize("deaths", [1, 2, 3])
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
        with pytest.raises(
            errors.CaseTrackError, match=r"3 times in a row \(.*SIGKILL.*\)"
        ) as told:
            pool.read(path)
    assert "short of memory" in (told.value.hint or "")
