"""Views that are made in the background, by a process of their own with low priority."""

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
    """Run a module with a folder as its argument, and return at once.

    Asked again within a minute, it does nothing.

    Returns
    -------
    bool
        Whether a process was started.
    """
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
    # Somebody has to take note of its end, or it stays behind as a zombie.
    threading.Thread(target=process.wait, name=module, daemon=True).start()
    return True


def step_back() -> None:
    """Give way to everything else on the machine, where the system lets us."""
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
        # One thread: what it takes longer, searches get done meanwhile.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"},
        creationflags=flags,
        start_new_session=True,
    )
