"""Selects the file-changing call at which a process is killed or an error begins.

A small library in C (``faults.c``) counts the calls of Python and Lance. Where it cannot be built,
processes can still be killed at random moments.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import shutil
import subprocess
import sys
from pathlib import Path

_SOURCE = Path(__file__).with_name("faults.c")
QUIET, KILL, FAIL = 0, 1, 2


class _Layout(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_longlong),
        ("at", ctypes.c_longlong),
        ("action", ctypes.c_longlong),
        ("number", ctypes.c_longlong),
        ("group", ctypes.c_longlong),
        ("failed", ctypes.c_longlong),
        ("last", ctypes.c_char * 512),
        ("root", ctypes.c_char * 1024),
    )


@functools.cache
def reason_without() -> str | None:
    """Return why calls cannot be counted on this machine; ``None`` where they can."""
    if not sys.platform.startswith("linux"):
        return "calls are counted on Linux only"
    if shutil.which("cc") is None:
        return "there is no C compiler (cc)"
    return None


class Faults:
    """The memory page that the library reads, in a folder outside the observed one."""

    def __init__(self, home: Path) -> None:
        self.library = home / "faults.so"
        self.path = home / "page"
        self.path.write_bytes(bytes(ctypes.sizeof(_Layout)))
        self.counts = reason_without() is None
        if self.counts:
            command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(self.library), str(_SOURCE)]
            subprocess.run([*command, "-ldl"], check=True)
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), ctypes.sizeof(_Layout))
        self._page = _Layout.from_buffer(self._map)

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of a process whose calls are counted."""
        if not self.counts:
            return {}
        return {"LD_PRELOAD": str(self.library), "CRASH_PAGE": str(self.path)}

    def arm(self, root: Path, action: int = QUIET, at: int = 0, number: int = 0) -> None:
        """Count the following calls below *root*, and act at the call *at*."""
        page = self._page
        page.group, page.count, page.failed = 0, 0, 0
        page.at, page.action, page.number = at, action, number
        page.last = b""
        page.root = os.fsencode(f"{root.resolve()}/")

    def mean(self, group: int) -> None:
        """Name the process group that is meant."""
        self._page.group = group

    def disarm(self) -> None:
        """Leave everybody alone."""
        self._page.group, self._page.action, self._page.root = 0, QUIET, b""

    @property
    def count(self) -> int:
        """Calls so far."""
        return int(self._page.count)

    @property
    def failed(self) -> int:
        """Calls that were made to fail."""
        return int(self._page.failed)

    @property
    def last(self) -> str:
        """Return the call that was killed or failed first, and its path below the root."""
        return os.fsdecode(self._page.last)
