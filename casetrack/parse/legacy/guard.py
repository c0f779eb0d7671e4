"""Supervises LibreOffice and ends it when the reading worker is gone.

LibreOffice starts further processes and outlives its parent. The worker therefore starts this
guard, which ends all of them and removes their folder when its input closes (the worker is done or
was killed) or when time, memory or disk limits are exceeded.

Imports only the standard library and ``psutil``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_POLL_SECONDS = 0.05
_RESTARTS = frozenset({79, 81})
"""Exit codes that ask to be started again: a new profile has been written."""
_MOST_STARTS = 3
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def main() -> None:
    """Read an order as one line of JSON, write an answer, and wait for the input to close.

    The order has ``command``, ``environment``, ``folder``, ``seconds``, ``memory_mb``, ``disk_mb``;
    the answer ``ended`` (``"exit"``, ``"time"``, ``"memory"``, ``"disk"``) and ``code``.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    order = json.loads(sys.stdin.buffer.readline())
    gone = threading.Event()
    threading.Thread(target=_listen, args=(gone,), daemon=True).start()
    folder = Path(order["folder"])
    try:
        answer = _run(order, folder, gone)
        with suppress(OSError):
            # The reader of the answer may be gone.
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        gone.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    # The interpreter's exit would wait for the thread that still reads.
    os._exit(0)


def _listen(gone: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    gone.set()


def _run(order: dict[str, Any], folder: Path, gone: threading.Event) -> dict[str, Any]:
    _adopt_orphans()
    end = time.monotonic() + order["seconds"]
    for _ in range(_MOST_STARTS):
        process = _start(order)
        ended = _watch(process, order, folder, end, gone)
        if ended != "exit" or process.returncode not in _RESTARTS:
            break
    return {"ended": ended, "code": process.returncode}


def _start(order: dict[str, Any]) -> subprocess.Popen[bytes]:
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NO_WINDOW}
    elif sys.platform == "linux":
        options["preexec_fn"] = _before_exec(os.getpid(), order["disk_mb"])
    with Path(order["folder"], "output").open("ab") as output:
        return subprocess.Popen(
            order["command"],
            cwd=order["folder"],
            env=order["environment"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **options,
        )


def _before_exec(guard: int, disk_mb: int) -> Callable[[], None]:
    """Return the setup of the child process before it becomes LibreOffice (Linux)."""
    # Imported before the fork: afterwards an import could wait for a lock that no thread releases.
    import ctypes
    import resource

    libc = ctypes.CDLL(None)
    user, group = os.getuid(), os.getgid()
    maps = (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    )

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != guard:
            os._exit(1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (disk_mb << 20, disk_mb << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # No network, if the system lets a user disable it; the settings disable it too.
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0:
            for name, text in maps:
                with suppress(OSError):
                    # Without a map it runs as user "nobody", in a folder that keeps its owner.
                    Path("/proc/self", name).write_text(text, encoding="ascii")

    return prepare


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _watch(
    process: subprocess.Popen[bytes],
    order: dict[str, Any],
    folder: Path,
    end: float,
    gone: threading.Event,
) -> str:
    """Wait for the process, end all of its processes, and return the reason of its end."""
    ended = ""
    while not ended:
        if process.poll() is not None:
            ended = "exit"
        elif gone.is_set():
            ended = "alone"
        elif time.monotonic() > end:
            ended = "time"
        elif _resident_bytes() > order["memory_mb"] << 20:
            ended = "memory"
        elif _size(folder) > order["disk_mb"] << 20:
            ended = "disk"
        else:
            gone.wait(_POLL_SECONDS)
    _end_all(process)
    return ended


def _resident_bytes() -> int:
    import psutil

    total = 0
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            total += child.memory_info().rss
    return total


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(Path(parent, name)).st_size
    return total


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End the remaining processes of the session and all descendants that left it."""
    import psutil

    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.Error):
            child.kill()
    process.wait()
    psutil.wait_procs(children, timeout=5)


if __name__ == "__main__":
    main()
