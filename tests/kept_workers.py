"""Keeps the processes that read files from one test to the next.

A pool ends its workers when it closes, and a new worker takes half a second to start; hundreds of
tests open a pool. Here an idle worker is kept and reused by the next pool that would start the same
command in the same environment. The use of a worker by a pool is unchanged; start and end of
workers are tested in ``readers/test_pool.py`` and by all programs that tests start.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from casetrack.parse.workers import pool, process
from casetrack.parse.workers.messages import JSON
from casetrack.parse.workers.pool import close_drawing_pools

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 4
"""As many idle workers are kept; with all parsers loaded, one takes some hundred megabytes."""

OF_NO_MEANING = {"PYTEST_CURRENT_TEST", "CASETRACK_HOME", "CASETRACK_LICENSE", "CASETRACK_MODELS"}
"""Variables that differ between tests and that no reader uses; requests carry the folders."""

READY = (JSON, json.dumps({"event": "ready"}).encode())

Surroundings = tuple[object, ...]
Worker = process.WorkerProcess


class Stock:
    """Idle workers with their start parameters, the most recently used last."""

    def __init__(self) -> None:
        # Linux ends a worker with the thread that has started it, which must therefore stay.
        self._starter = ThreadPoolExecutor(1, "kept-workers")
        self._owner = os.getpid()
        self._rests = False
        self._idle: list[tuple[Surroundings, Worker]] = []
        self._started: dict[Worker, Surroundings] = {}

    def start(self, command: list[str], environment: dict[str, str], /) -> Worker:
        """Return a worker as its constructor would: a kept one where there is one, or a new one."""
        if self._rests or os.getpid() != self._owner:  # a fork has no part in it
            return Worker(command, environment)
        wanted = _surroundings(command, environment)
        for entry in reversed(self._idle):
            if entry[0] == wanted:
                self._idle.remove(entry)
                entry[1]._frames.put(READY, 0)
                return entry[1]
        worker = self._starter.submit(Worker, command, environment).result()
        self._started[worker] = wanted
        return worker

    def keep(self, worker: Worker, /) -> None:
        """Take a worker that has nothing to do and is in working order."""
        if worker not in self._started:
            worker.reap()
            return
        self._idle.append((self._started[worker], worker))
        while len(self._idle) > MOST:
            self._end(self._idle.pop(0)[1])

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Let pools start and end their own workers, without any other."""
        close_drawing_pools()
        self._end_all()
        self._rests = True
        try:
            yield
        finally:
            close_drawing_pools()
            self._rests = False

    def close(self) -> None:
        """End all."""
        self._end_all()
        self._starter.shutdown()

    def _end_all(self) -> None:
        while self._idle:
            self._end(self._idle.pop()[1])

    def _end(self, worker: Worker) -> None:
        del self._started[worker]
        worker.reap()


def _surroundings(command: list[str], environment: dict[str, str]) -> Surroundings:
    messages = {name: value for name, value in environment.items() if name not in OF_NO_MEANING}
    return os.getcwd(), tuple(command), tuple(sorted(messages.items()))  # noqa: PTH109


@contextmanager
def kept_workers() -> Iterator[Stock]:
    """Let pools of this process hand their workers on."""
    stock = Stock()
    close = pool.ParsePool.close

    def close_without_the_idle(self: pool.ParsePool) -> None:
        with self._change:
            idle = [] if self.is_closed else list(self._idle)
            self._idle.clear()
        with self._starter._lock:
            self._starter._all.difference_update(idle)
        for worker in idle:
            stock.keep(worker)
        close(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "WorkerProcess", stock.start)
        patch.setattr(pool.ParsePool, "close", close_without_the_idle)
        yield stock
        close_drawing_pools()
    stock.close()
