"""The pool for drawing: it stays for the next picture, and goes when there is none."""

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
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from casetrack import errors
from casetrack.config import ParseLimits
from casetrack.readers.base import ReadOptions
from casetrack.readers.render import TEXT_PAGE_EXTENSION, Piece, TextBlock, TextPage
from casetrack.readers.workers.drawing import DrawingPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.usefixtures("own_workers")
OPTIONS = ReadOptions()
SHORT = 1.0


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / f"a{TEXT_PAGE_EXTENSION}"
    path.write_bytes(TextPage("A title", (), (TextBlock((Piece("Some words."),)),)).pack())
    return path


@pytest.fixture
def opened() -> Iterator[Callable[..., DrawingPool]]:
    """Return a function that makes a pool; all are closed in the end."""
    pools: list[DrawingPool] = []

    def make(**options: Any) -> DrawingPool:
        pools.append(DrawingPool(512, **options))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def workers() -> set[int]:
    return {c.pid for c in psutil.Process().children(recursive=True) if _is_worker(c)}


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "casetrack.readers.workers.worker" in child.cmdline()
    except psutil.NoSuchProcess:  # it is ending, and the system has not yet forgotten it
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_a_worker_stays_for_the_next_picture_and_goes_when_there_is_none(
    opened: Callable[..., DrawingPool], page: Path
) -> None:
    pool = opened(idle_seconds=SHORT)
    assert workers() == set()
    threads = set(threading.enumerate())
    first = pool.render(page, 1, options=OPTIONS)
    begun = time.monotonic()
    (worker,) = workers()
    while time.monotonic() < begun + 2 * SHORT:  # longer than it may be idle
        assert pool.render(page, 1, options=OPTIONS) == first
    assert workers() == {worker}
    assert wait_until(lambda: not workers())
    assert wait_until(lambda: threads.issuperset(threading.enumerate()))
    assert pool.render(page, 1, options=OPTIONS) == first
    assert len(workers() - {worker}) == 1
    pool.close()
    assert workers() == set()
    pool.close()


def test_a_worker_that_died_while_it_waited_is_replaced(
    opened: Callable[..., DrawingPool], page: Path
) -> None:
    pool = opened()
    first = pool.render(page, 1, options=OPTIONS)
    (worker,) = workers()
    killed = psutil.Process(worker)
    killed.kill()
    killed.wait(60)
    assert pool.render(page, 1, options=OPTIONS) == first
    assert worker not in workers()


def test_a_page_has_its_own_time_and_spoils_nothing_for_the_next(
    opened: Callable[..., DrawingPool], page: Path
) -> None:
    pool = opened()
    assert pool.render(page, 1, options=OPTIONS) is not None
    hurried = ReadOptions(limits=ParseLimits(timeout_seconds=1e-6))
    with pytest.raises(errors.ParseLimit, match="took longer than 1e-06 seconds"):
        pool.render(page, 1, options=hurried)
    assert pool.render(page, 1, options=OPTIONS) is not None
    (worker,) = workers()
    with pytest.raises(errors.ParseFailed, match="no such file"):
        pool.render(page.with_suffix(".pdf"), 1, options=OPTIONS)
    assert pool.render(page, 1, options=OPTIONS) is not None
    assert workers() == {worker}


def test_several_threads_share_the_workers(opened: Callable[..., DrawingPool], page: Path) -> None:
    pool = opened(workers=2, idle_seconds=SHORT)
    with ThreadPoolExecutor(8) as threads:
        drawn = list(threads.map(lambda _: pool.render(page, 1, options=OPTIONS), range(24)))
    assert len(set(drawn)) == 1
    assert len(workers()) <= 2
    assert wait_until(lambda: not workers())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks exist on POSIX only")
def test_a_fork_leaves_the_workers_to_its_parent(page: Path) -> None:
    # A program of its own: this one has threads that would not survive a fork.
    script = _program(
        page,
        """
        import os
        pid = os.fork()
        if not pid:
            close_drawing_pools()
            same = drawing_pool(512).render(page, 1, options=ReadOptions()) == first
            close_drawing_pools()
            os._exit(0 if same else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert drawing_pool(512).render(page, 1, options=ReadOptions()) == first
        assert drawing_pool(512) is drawing_pool(512)
        assert psutil.Process().children() == mine
        """,
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


def _program(page: Path, then: str) -> str:
    """Return a program that draws a page and goes on with *then*."""
    return textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        from pathlib import Path
        import psutil
        from casetrack.readers.base import ReadOptions
        from casetrack.readers.workers.drawing import close_drawing_pools, drawing_pool
        page = Path({str(page)!r})
        first = drawing_pool(512).render(page, 1, options=ReadOptions())
        mine = psutil.Process().children()
        print(mine[0].pid, flush=True)
        """
    ) + textwrap.dedent(then)


@pytest.mark.parametrize("end", ["done", "killed"])
def test_it_ends_with_the_program(page: Path, end: str) -> None:
    script = _program(page, "" if end == "done" else "import time; time.sleep(60)")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        worker = int(program.stdout.readline())
        begun = time.monotonic()
        if end == "killed":
            assert psutil.pid_exists(worker)
            os.kill(program.pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        program.wait(20)
    assert time.monotonic() - begun < 30  # far less than it may be idle
    assert wait_until(lambda: not psutil.pid_exists(worker))
