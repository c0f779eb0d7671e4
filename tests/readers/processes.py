"""Processes that read files, as the tests of pools see them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable


def workers() -> list[psutil.Process]:
    return [c for c in psutil.Process().children(recursive=True) if _is_worker(c)]


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "casetrack.readers.workers.worker" in child.cmdline()
    except psutil.NoSuchProcess:  # it is ending, and the system has not yet forgotten it
        return False


def wait_until(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(condition())
