"""The pool for drawing: it stays for the next picture, and goes when there is none."""

from __future__ import annotations

import os
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

from casetrack.base import errors
from casetrack.base.config import ParseLimits
from casetrack.parse.base import ReadOptions
from casetrack.parse.render import TEXT_PAGE_EXTENSION, Piece, TextBlock, TextPage
from casetrack.parse.workers.pool import DrawingPool
from tests.parse.processes import wait_until, workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Pools = Callable[..., DrawingPool]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_workers")]
OPTIONS = ReadOptions()
SHORT = 0.4


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


def test_a_worker_stays_for_the_next_picture_and_goes_when_there_is_none(
    opened: Pools, page: Path
) -> None:
    pool = opened(idle_seconds=SHORT)
    assert workers() == []
    threads = set(threading.enumerate())
    first = pool.render(page, 1, options=OPTIONS)
    begun = time.monotonic()
    (worker,) = workers()
    while time.monotonic() < begun + 1.5 * SHORT:  # longer than it may be idle
        assert pool.render(page, 1, options=OPTIONS) == first
    assert workers() == [worker]
    assert wait_until(lambda: not workers())
    assert wait_until(lambda: threads.issuperset(threading.enumerate()))
    assert pool.render(page, 1, options=OPTIONS) == first
    assert [w for w in workers() if w != worker] == workers()
    pool.close()
    assert workers() == []
    pool.close()


def test_a_page_has_its_own_time_and_spoils_nothing_for_the_next(opened: Pools, page: Path) -> None:
    pool = opened()
    assert pool.render(page, 1, options=OPTIONS) is not None
    hurried = ReadOptions(limits=ParseLimits(timeout_seconds=1e-6))
    with pytest.raises(errors.ParseLimit, match=r"1e-06 .*timeout_seconds"):
        pool.render(page, 1, options=hurried)
    assert pool.render(page, 1, options=OPTIONS) is not None
    (worker,) = workers()
    with pytest.raises(errors.ParseFailed, match=r"a\.pdf"):
        pool.render(page.with_suffix(".pdf"), 1, options=OPTIONS)
    assert pool.render(page, 1, options=OPTIONS) is not None
    assert workers() == [worker]
    # One that died while it waited is replaced.
    worker.kill()
    worker.wait(60)
    assert pool.render(page, 1, options=OPTIONS) is not None
    assert worker not in workers()


def test_several_threads_share_the_workers(opened: Pools, page: Path) -> None:
    pool = opened(workers=2)
    with ThreadPoolExecutor(8) as threads:
        drawn = list(threads.map(lambda _: pool.render(page, 1, options=OPTIONS), range(24)))
    assert len(set(drawn)) == 1
    assert len(workers()) <= 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks exist on POSIX only")
def test_a_fork_leaves_the_workers_to_its_parent_and_they_end_with_it(page: Path) -> None:
    # Another program: this one has threads that would not survive a fork.
    script = textwrap.dedent(
        f"""
        import os, sys
        sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        from pathlib import Path
        import psutil
        from casetrack.parse.base import ReadOptions
        from casetrack.parse.workers.pool import close_drawing_pools, drawing_pool
        page = Path({str(page)!r})
        first = drawing_pool(512).render(page, 1, options=ReadOptions())
        mine = psutil.Process().children()
        print(mine[0].pid, flush=True)
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
        """
    )
    command = [sys.executable, "-W", "ignore", "-c", script]
    ended = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE)
    assert wait_until(lambda: not psutil.pid_exists(int(ended.stdout)))
