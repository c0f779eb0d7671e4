"""Processes that read files, as the tests of pools see them."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil

_OTHERS: set[int] = set()
"""Workers of pools that other tests hold open."""


def workers() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [c for c in children if c.pid not in _OTHERS and _is_worker(c)]


def leave_out_others() -> None:
    """Count only workers that start from here on."""
    _OTHERS.clear()
    _OTHERS.update(worker.pid for worker in workers())


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "casetrack.parse.workers.worker" in child.cmdline()
    except psutil.NoSuchProcess:  # it is ending, and the system has not yet forgotten it
        return False


def wait_until(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + 60
    # One observation counts: a process may be short.
    while not (seen := bool(condition())) and time.monotonic() < end:
        time.sleep(0.02)
    return seen
