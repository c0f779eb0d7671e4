"""Background processes with low priority that build views."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

_log = logging.getLogger(__name__)
_WAIT_SECONDS = 60.0
_NICE = 19
_started: dict[tuple[str, Path], float] = {}
_lock = threading.Lock()


def start(module: str, folder: Path, /) -> bool:
    """Start a module with a folder, at most once a minute; return at once whether it started."""
    with _lock:
        asked = module, folder
        if time.monotonic() - _started.get(asked, float("-inf")) < _WAIT_SECONDS:
            return False
        _started[asked] = time.monotonic()
    try:
        process = _start(module, folder)
    except OSError as error:
        _log.warning("%s cannot be run for %s: %s", module, folder, error)
        return False
    # A thread waits for its end, so that it does not become a zombie.
    threading.Thread(target=process.wait, name=module, daemon=True).start()
    return True


def lower_priority() -> None:
    """Lower the priority of this process, where the system allows."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_NICE)


def _start(module: str, folder: Path) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).parents[3])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    flags |= getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    return subprocess.Popen(
        [sys.executable, "-m", module, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # One thread: it takes longer, but leaves the other cores to searches.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"},
        creationflags=flags,
        start_new_session=True,
    )
