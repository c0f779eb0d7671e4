"""Resident memory of processes."""

from __future__ import annotations

import threading
from typing import Self

import psutil

_SAMPLE_SECONDS = 0.05


class PeakMemory:
    """Sampler of the resident memory of a process and its descendants.

    ``peak`` is the largest sum in bytes; shared pages count once per process, so it is an upper
    bound. ``main`` is the memory of the process itself at that moment.
    """

    def __init__(self, pid: int, /) -> None:
        self.peak = self.main = 0
        self._process = psutil.Process(pid)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_SAMPLE_SECONDS):
            members = resident(self._process)
            if sum(members) > self.peak:
                self.peak, self.main = sum(members), members[0]


def resident(process: psutil.Process, /) -> list[int]:
    """Return the resident bytes of a process and of each descendant; 0 for one that has ended."""
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return [0]
    return [_rss(member) for member in family]


def mapped(process: psutil.Process, /) -> int:
    """Return the resident bytes that are pages of files; 0 if the system does not report it."""
    return int(getattr(process.memory_info(), "shared", 0))


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
