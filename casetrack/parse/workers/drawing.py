"""Worker processes that draw pages and stay for a while, since the next picture is often near.

Starting a worker takes many times as long as drawing a page. A program that lives on (a notebook, a
server) keeps one for some time after the last picture; it ends with the program in any case.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from casetrack.base.config import ParseLimits
from casetrack.parse.workers.pool import ParsePool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import ReadOptions
    from casetrack.parse.render import PageImage

IDLE_SECONDS = 120.0
"""A worker that has drawn nothing for so long is ended."""
MAX_DRAW_SECONDS = 60.0
"""No page may take longer to draw."""
_WORKERS = 2
"""Pages drawn side by side; a worker is started only when all others are busy."""


class DrawingPool:
    """A pool for drawing that opens with the first picture and closes some time after the last.

    It may be used from several threads at once, and never keeps a program from ending.

    Parameters
    ----------
    memory_mb
        Memory of a worker, in MiB.
    workers
        How many pages are drawn side by side.
    idle_seconds
        The workers are ended when nothing was drawn for so long.
    """

    def __init__(
        self, memory_mb: int, /, *, workers: int = _WORKERS, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._limits = ParseLimits(timeout_seconds=MAX_DRAW_SECONDS, memory_mb=memory_mb)
        self._workers = workers
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._pool: ParsePool | None = None
        self._users = 0
        self._last_used = 0.0
        self._timer: threading.Timer | None = None

    def render(
        self, path: Path, page: int, /, *, options: ReadOptions, dpi: float = 144.0
    ) -> PageImage | None:
        """Draw a page; ``None`` where the format has no pages to see.

        Parameters
        ----------
        path, page, dpi
            See :func:`casetrack.parse.render.render_page`.
        options
            Passwords, and in its limits the seconds that the page may take.

        Raises
        ------
        FileError
            The page cannot be drawn within its limits, or not at all.
        """
        with self._opened() as pool:
            return pool.render(path, page, dpi=dpi, options=options)

    def close(self) -> None:
        """End the workers now; drawing again starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        if pool is not None:
            pool.close()

    @contextmanager
    def _opened(self) -> Iterator[ParsePool]:
        with self._lock:
            if self._pool is None:
                self._pool = ParsePool(self._limits, self._workers)
            pool = self._pool
            self._users += 1
        try:
            yield pool
        finally:
            with self._lock:
                self._users -= 1
                self._last_used = time.monotonic()
                if self._timer is None and self._pool is not None:
                    self._wait(self._idle_seconds)

    def _wait(self, seconds: float) -> None:
        # Daemonic, as a program does not wait for it.
        self._timer = threading.Timer(seconds, self._look)
        self._timer.name, self._timer.daemon = "casetrack-drawing", True
        self._timer.start()

    def _look(self) -> None:
        """Close the pool if it has been idle for long, else look again later."""
        with self._lock:
            if threading.current_thread() is not self._timer:
                return  # closed meanwhile, and perhaps opened anew
            since = time.monotonic() - self._last_used
            left = self._idle_seconds if self._users else self._idle_seconds - since
            if left > 0:
                self._wait(left)
                return
            pool, self._pool, self._timer = self._pool, None, None
        if pool is not None:
            pool.close()


_pools: dict[int, DrawingPool] = {}
"""By the memory of a worker in MiB: those of this process."""
_of_the_parent: list[DrawingPool] = []
"""In a forked process. They are kept from being collected, which would touch their workers."""


def drawing_pool(memory_mb: int, /) -> DrawingPool:
    """Return the pool of this process whose workers may take so much memory, in MiB."""
    return _pools.get(memory_mb) or _pools.setdefault(memory_mb, DrawingPool(memory_mb))


def close_drawing_pools() -> None:
    """End all workers that wait for pages to draw."""
    for pool in list(_pools.values()):
        pool.close()


def _leave_to_the_parent() -> None:
    _of_the_parent.extend(_pools.values())
    _pools.clear()


atexit.register(close_drawing_pools)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
